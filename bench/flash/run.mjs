/** A sale: fifteen times the usual rate for ten minutes, in compressed time, with a quick and a slow model. */
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../parts/migrate.mjs';
import { startOneturn } from '../parts/oneturn.mjs';
import { withDefaults } from '../parts/options.mjs';
import { newRun } from '../parts/outside.mjs';
import { inBench } from '../parts/scenario.mjs';
import { backlogOf, fatesOf, watchBacklog } from './fates.mjs';
import { report } from './report.mjs';

/** `base`: messages per minute, uncompressed. */
const defaults = { base: 60, compress: 20, people: 2_000 };
const times = 15;
/** Minutes of each stretch, uncompressed. */
const minutes = { before: 3, sale: 10, after: 10 };
const modelSeconds = [0, 2];
const concurrencies = [5, 100];
/** What is still open after so long, beyond the time until messages are late, hangs; ms. */
const graceMs = 60_000;

/** @returns {Promise<boolean>} whether every bar was met. */
export function flashBenchmark(given, say) {
  const options = withDefaults(given, defaults);
  return inBench(
    'flash',
    say,
    async ({ services, outside }) => {
      const runs = [];
      for (const modelS of modelSeconds) {
        for (const turns of given.turns ? [given.turns] : concurrencies) {
          const run = await measure(services, outside, { ...options, modelS, turns, number: runs.length + 1 });
          runs.push(run);
          const fates = Object.entries(run.fates).map(([fate, count]) => `${fate} ${count}`);
          say(`model ${modelS} s, ${turns} turns: ${run.sent} messages, ${fates.join(', ')}, twice ${run.twice}`);
        }
      }
      return report(runs, options);
    },
    { save: options.save },
  );
}

async function measure({ postgres, redis }, outside, { base, compress, people, modelS, turns, number }) {
  const database = `bench_flash_${number}`;
  await postgres.query(`CREATE DATABASE ${database}`);
  await migrate(postgres.urlOf(database));
  await outside.tell('set', { modelMs: (modelS * 1000) / compress });
  const oneturn = await startOneturn({
    databaseUrl: postgres.urlOf(database),
    redisUrl: redis.url(number),
    outside,
    env: { ...compressedEnv(compress), TURN_CONCURRENCY: turns },
  });
  try {
    await outside.tell('aim', { url: oneturn.url });
    const run = newRun();
    const watch = watchBacklog(postgres, database);
    const stretches = Object.entries(minutes).map(([name, length]) => ({
      seconds: (length * 60) / compress,
      rate: (base / 60) * compress * (name === 'sale' ? times : 1),
    }));
    const { since, posts } = await outside.tell('load', { kind: 'changing', run, people, stretches });
    const patience = 900_000 / compress + graceMs;
    const deadline = Date.now() + patience;
    while (Date.now() < deadline && (await backlogOf(postgres, database)).open > 0) await delay(250);
    const { twice } = await outside.tell('seen', { run });
    const curve = (await watch.stop()).map(([at, open]) => [((at - since) * compress) / 60_000, open]);
    const fates = await fatesOf(postgres, database);
    return { modelS, turns, sent: posts.length, twice, fates, curve, acks: acksOf(posts, stretches) };
  } finally {
    await oneturn.stop();
  }
}

/** Latencies in each stretch, ms, and how many were not answered with 200. */
function acksOf(posts, stretches) {
  let from = 0;
  const acks = {};
  for (const [index, name] of Object.keys(minutes).entries()) {
    const to = from + stretches[index].seconds * 1000;
    acks[name] = posts.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
    from = to;
  }
  return { ...acks, refused: posts.filter(({ status }) => status !== 200).length };
}

/** Every wait of a default installation, shortened alike; a lease is not, because nothing dies here. */
function compressedEnv(compress) {
  const shortened = {
    WINDOW_MS: 20_000,
    MAX_WAIT_MS: 60_000,
    LATE_AFTER_MS: 900_000,
    SWEEP_MS: 1_000,
    PART_GAP_MS: 500,
    RETRY_BASE_MS: 5_000,
  };
  const least = { SWEEP_MS: 50, RETRY_BASE_MS: 50, LATE_AFTER_MS: 1_000 };
  return Object.fromEntries(
    Object.entries(shortened).map(([name, ms]) => [name, Math.max(least[name] ?? 1, Math.round(ms / compress))]),
  );
}
