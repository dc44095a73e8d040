/** Faults of Postgres and Redis. */
import { setTimeout as delay } from 'node:timers/promises';

const AIM_MS = 2_500;

const postgresRestart = {
  kind: 'Postgres restart, immediate',
  async strike(lab, random) {
    await lab.model.asked(null, AIM_MS);
    await Promise.race([lab.gate.arrival('ingest-1', AIM_MS), lab.gate.arrival('ingest-2', AIM_MS)]);
    const on = liveNow(lab);
    const outage = lab.crew.open('postgres', 'killed');
    const restart = async () => {
      await lab.postgres.crash();
      await delay(random.chance(0.3) ? random.int(500, 2_500) : 0);
      await lab.postgres.restart();
      outage.to = Date.now();
    };
    return { on, after: restart() };
  },
};

function liveNow(lab) {
  if (lab.gate.inFlight('ingest-1') + lab.gate.inFlight('ingest-2') > 0) return 'group';
  return lab.model.open().length > 0 ? 'turn' : '';
}

/** The delayed job of an open window, or the wake-up for a batch that needs none: that is what Redis holds for us. */
async function untilAwaited(lab) {
  for (const deadline = Date.now() + AIM_MS; Date.now() < deadline; await delay(30)) {
    const rows = await lab.postgres.ask(
      `SELECT CASE state WHEN 'queued' THEN 'wake-up' ELSE 'window' END AS on FROM batch
       WHERE state = 'queued' OR (state = 'collecting' AND due_at > oneturn_now() + interval '100 ms') LIMIT 1`,
    );
    if (rows !== null && rows.length > 0) return rows[0].on;
  }
  return '';
}

const redisFault = (kind, act) => ({
  kind,
  async strike(lab, random) {
    const on = await untilAwaited(lab);
    return { on, after: act(lab, random) };
  },
});

/** @param {(random: object) => number} absence ms */
const redisGone = (absence) => async (lab, random) => {
  const outage = lab.crew.open('redis', 'killed');
  await lab.redis.kill();
  await delay(absence(random));
  await lab.redis.restart();
  outage.to = Date.now();
};

export const POSTGRES_FAULTS = [postgresRestart];

export const REDIS_FAULTS = [
  redisFault('Redis FLUSHALL', (lab) => lab.redis.flush()),
  redisFault(
    'Redis killed',
    redisGone(() => 0),
  ),
  redisFault(
    'Redis gone for long',
    redisGone((random) => random.int(5_000, 9_000)),
  ),
  redisFault('Redis eviction', (lab) => lab.redis.evict()),
];
