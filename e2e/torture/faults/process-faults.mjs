/** Faults of processes. Each waits for something live to hit, strikes, and comes back later by itself. */
import { setTimeout as delay } from 'node:timers/promises';
import { TIMES } from '../times.mjs';

/** How long a strike waits for its moment before it strikes all the same; ms. */
const AIM_MS = 2_500;
/** How long it waits for its target to be back from the fault before; ms. */
const BACK_MS = 10_000;

/** Two of a service; the choice is the schedule's. One that is down is no target: wait for it. */
async function target(lab, random, service) {
  const name = `${service}-${random.int(1, 2)}`;
  await lab.crew.atWork(name, BACK_MS);
  return name;
}
const downtime = (random) => (random.chance(0.3) ? random.int(1_500, 4_000) : random.int(0, 600));
const longerThanTheLease = (random) => TIMES.lease + random.int(400, 2_500);

/**
 * @typedef {object} ProcessFault
 * @property {string} kind
 * @property {(lab: object, random: object) => Promise<{on: string, after: Promise<unknown>}>} strike `after`: when all is up again.
 */

/** @param {'SIGKILL' | 'SIGTERM' | 'SIGSTOP'} how */
async function hit(lab, random, how, name) {
  const { crew } = lab;
  if (how === 'SIGSTOP') return crew.freeze(name, longerThanTheLease(random));
  await crew.end(name, how);
  await delay(downtime(random));
  await crew.start(name);
  await crew.atWork(name, BACK_MS);
}

const ingestFault = (kind, how) => ({
  kind,
  async strike(lab, random) {
    const name = await target(lab, random, 'ingest');
    await lab.gate.arrival(name, AIM_MS);
    const on = lab.gate.inFlight(name) > 0 ? 'group' : '';
    return { on, after: hit(lab, random, how, name) };
  },
});

const batcherFault = (kind, how) => ({
  kind,
  async strike(lab, random) {
    const name = await target(lab, random, 'batcher');
    await lab.gate.acknowledgement(AIM_MS);
    const after = hit(lab, random, how, name);
    const rows = await lab.postgres.ask('SELECT FROM event WHERE routed_at IS NULL LIMIT 1');
    return { on: rows !== null && rows.length > 0 ? 'routing' : '', after };
  },
});

const turnFault = (kind, how) => ({
  kind,
  async strike(lab, random) {
    const name = await target(lab, random, 'responder');
    const boot = `${name}.${lab.crew.get(name).boot}`;
    if (lab.model.open(boot).length === 0) await lab.model.asked(boot, AIM_MS);
    // Not always right at the question: also while the answer is on its way, and while tools run.
    await delay(random.int(0, 150));
    const on = lab.crew.get(name).process && lab.model.open(boot).length > 0 ? 'turn' : '';
    return { on, after: hit(lab, random, how, name) };
  },
});

/** Both responders, so that the sender is surely among them. */
const postFault = (kind, how) => ({
  kind,
  async strike(lab, random) {
    const names = ['responder-1', 'responder-2'];
    for (const name of names) await lab.crew.atWork(name, BACK_MS);
    await lab.simulator.control('faults', {
      kind: 'latency',
      ms: 600,
      when: random.pick(['before', 'after']),
      times: 2,
    });
    const on = (await untilPost(lab)) ? 'post' : '';
    return { on, after: Promise.all(names.map((name) => hit(lab, random, how, name))) };
  },
});

async function untilPost(lab) {
  for (const deadline = Date.now() + AIM_MS; Date.now() < deadline; await delay(40)) {
    if ((await lab.simulator.openSends()).length > 0) return true;
  }
  return false;
}

const partition = {
  kind: 'responder cut off from Postgres',
  async strike(lab, random) {
    const name = await target(lab, random, 'responder');
    const boot = `${name}.${lab.crew.get(name).boot}`;
    if (lab.model.open(boot).length === 0) await lab.model.asked(boot, AIM_MS);
    const on = lab.model.open(boot).length > 0 ? 'turn' : '';
    const wire = lab.wires.get(name);
    const after = lab.crew.away(name, 'cut off', async () => {
      wire.silence();
      await delay(longerThanTheLease(random));
      wire.heal();
    });
    return { on, after };
  },
};

/** @type {ProcessFault[]} */
export const PROCESS_FAULTS = [
  ingestFault('SIGKILL ingest', 'SIGKILL'),
  ingestFault('SIGTERM ingest', 'SIGTERM'),
  ingestFault('freeze ingest', 'SIGSTOP'),
  batcherFault('SIGKILL batcher', 'SIGKILL'),
  batcherFault('SIGTERM batcher', 'SIGTERM'),
  batcherFault('freeze batcher', 'SIGSTOP'),
  turnFault('SIGKILL responder in a turn', 'SIGKILL'),
  turnFault('SIGTERM responder in a turn', 'SIGTERM'),
  turnFault('freeze responder in a turn', 'SIGSTOP'),
  postFault('SIGKILL responders in a POST', 'SIGKILL'),
  postFault('freeze responders in a POST', 'SIGSTOP'),
  partition,
];
