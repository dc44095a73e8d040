/** From the moment at which a batch is due to the start of its turn, with many windows open, on each kind of wake-up. */
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../parts/migrate.mjs';
import { insertConversations } from '../parts/conversations.mjs';
import { startOneturn } from '../parts/oneturn.mjs';
import { withDefaults } from '../parts/options.mjs';
import { newRun } from '../parts/outside.mjs';
import { inBench } from '../parts/scenario.mjs';
import { report, wakes } from './report.mjs';

const defaults = { seconds: 30, rate: 500, window: 20_000, people: 30_000, turns: 50 };
/** People per webhook: what is measured here is not ingest. */
const each = 10;
/** For the last batches to start, ms. */
const settleMs = 5_000;
const database = 'oneturn';

/** @returns {Promise<boolean>} whether every bar was met. */
export function timersBenchmark(given, say) {
  const options = withDefaults(given, defaults);
  return inBench(
    'timers',
    say,
    async ({ services, outside }) => {
      const { postgres, redis } = services;
      await migrate(postgres.urlOf(database));
      await outside.tell('set', { silent: true });
      const runs = [];
      for (const wake of wakes.filter(({ name }) => options.only === null || options.only.includes(name))) {
        const oneturn = await startOneturn({
          databaseUrl: postgres.urlOf(database),
          ...(wake.redis ? { redisUrl: redis.url(1) } : {}),
          outside,
          env: { WINDOW_MS: options.window, MAX_WAIT_MS: options.window * 2, TURN_CONCURRENCY: options.turns },
        });
        try {
          if (runs.length === 0) await insertConversations(postgres, database, 0, options.people, say);
          if (wake.gone) await redis.gone();
          await outside.tell('aim', { url: oneturn.url });
          runs.push({ name: wake.name, ...(await measure(services, outside, options)) });
          say(`${wake.name}: ${runs.at(-1).waits.length} batches, ${runs.at(-1).open} windows open`);
        } finally {
          await oneturn.stop();
          if (wake.gone) redis.back();
        }
      }
      return report(runs, options);
    },
    { save: options.save },
  );
}

async function measure({ postgres }, outside, { seconds, rate, window, people }) {
  const load = outside.tell('load', {
    ...{ kind: 'grouped', run: newRun(), rate, people, each },
    seconds: window / 1000 + seconds,
  });
  await delay(window + (seconds * 1000) / 2);
  const open = await postgres.query(
    `SELECT count(*)::int FROM batch WHERE state = 'collecting' AND due_at > oneturn_now()`,
    [],
    database,
  );
  const { since, posts } = await load;
  await delay(settleMs);
  const rows = await postgres.rows(
    database,
    `SELECT epoch_ms(coalesce(t.started_at, oneturn_now())) - epoch_ms(b.due_at) AS ms, t.started_at IS NULL AS waiting
     FROM batch b LEFT JOIN turn t ON t.batch_id = b.id AND t.attempt = 1
     WHERE b.due_at >= from_epoch_ms($1) AND b.due_at < from_epoch_ms($2)`,
    [since + window, since + window + seconds * 1000],
  );
  return {
    open,
    waits: rows.map(({ ms }) => ms),
    notStarted: rows.filter(({ waiting }) => waiting).length,
    refused: posts.filter(({ status }) => status !== 200).length,
  };
}
