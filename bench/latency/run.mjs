/** How long a webhook waits for its 200 at a fixed rate, while everything behind it works, with Redis and without. */
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../parts/migrate.mjs';
import { insertOldEvents } from '../parts/old-events.mjs';
import { startOneturn } from '../parts/oneturn.mjs';
import { withDefaults } from '../parts/options.mjs';
import { newRun } from '../parts/outside.mjs';
import { inBench } from '../parts/scenario.mjs';
import { report } from './report.mjs';

const defaults = { seconds: 60, warmup: 5, people: 2_000, window: 1_000, turns: 20, old: 1_000_000 };
const rates = [500, 1_000];
/** For what the run before has left behind. */
const restMs = 3_000;

/** @returns {Promise<boolean>} whether every bar was met. */
export function latencyBenchmark(given, say) {
  const options = withDefaults(given, defaults);
  return inBench(
    'latency',
    say,
    async ({ services, outside }) => {
      const { postgres, redis } = services;
      await migrate(postgres.urlOf('oneturn'));
      await insertOldEvents(postgres, 'oneturn', { count: options.old }, say);
      await outside.tell('set', { queueStatuses: true });
      const env = { WINDOW_MS: options.window, TURN_CONCURRENCY: options.turns };
      const oneturn = await startOneturn({
        databaseUrl: postgres.urlOf('oneturn'),
        redisUrl: redis.url(1),
        outside,
        env,
      });
      const runs = [];
      try {
        await outside.tell('aim', { url: oneturn.url });
        for (const withRedis of [true, false]) {
          if (!withRedis) await redis.gone();
          for (const rate of options.rate ? [options.rate] : rates) {
            runs.push(await measure({ outside, rate, withRedis, options }, say));
            await delay(restMs);
          }
        }
      } finally {
        await oneturn.stop();
      }
      return report(runs, options);
    },
    { save: options.save },
  );
}

async function measure({ outside, rate, withRedis, options }, say) {
  const { people, seconds, warmup } = options;
  const run = newRun();
  const { posts } = await outside.tell('load', { kind: 'mixed', run, rate, seconds: warmup + seconds, people });
  const measured = posts.filter(({ at }) => at >= warmup * 1000);
  const { answered } = await outside.tell('seen', { run });
  const failed = measured.filter(({ status }) => status !== 200).length;
  say(`${rate}/s ${withRedis ? 'with Redis' : 'Redis stopped'}: ${measured.length} posts, ${failed} not 200`);
  return { rate, withRedis, posts: measured, answered };
}
