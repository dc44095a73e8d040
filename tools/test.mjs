/**
 * `npm test`: prepares the clone, starts a throwaway Postgres and Redis, runs the specs, then the specs that start
 * processes and a short torture run, and always stops what it started.
 *
 *   npm test                        everything
 *   npm test -- libs/inbox          what Jest's arguments select
 *   npm test -- --no-setup …        without building first (specs run from the sources; e2e specs need the build)
 *   ONETURN_LONG=1 npm test         with the overlap scenarios end to end, whose times a busy machine spoils
 *   SKIP_REDIS=1 npm test           without the half that needs Redis; counts as a failure where CI is set
 */
import { Failure, runTool } from './parts/failure.mjs';
import { runJest } from './parts/jest-run.mjs';
import { printTally } from './parts/tally.mjs';
import { setup } from './setup.mjs';

const limitMs = Number(process.env.ONETURN_TEST_LIMIT_MS ?? 40 * 60_000);
const say = (line) => console.log(line);
const long = process.env.ONETURN_LONG === '1';

await runTool('test', async () => {
  const args = process.argv.slice(2);
  const stopping = new AbortController();
  // Before anything is started, so that whatever was started is stopped.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort(signal));
  if (!args.includes('--no-setup')) await setup(say);
  const { startTestServices } = await import('./test-services.mjs');
  const services = await startTestServices(say);
  const limit = setTimeout(() => stopping.abort('the time limit'), limitMs);
  const total = { passed: 0, failed: 0 };
  try {
    const jestArgs = args.filter((arg) => arg !== '--no-setup');
    // Two files at a time: the specs compute, and those with processes mostly wait for windows and leases to pass.
    for (const [project, workers] of [['specs', 2], ['e2e', 2], ['torture', 1], ...(long ? [['scenarios', 1]] : [])]) {
      if (stopping.signal.aborted) break;
      const result = await runJest(project, workers, jestArgs, services.env, stopping.signal);
      total.passed += result.passed;
      total.failed += result.failed;
    }
  } finally {
    clearTimeout(limit);
    await services.stop();
  }
  if (stopping.signal.aborted) {
    console.log(`stopped by ${stopping.signal.reason}`);
    total.failed += 1;
  }
  if (!long) console.log('NOT RUN: e2e/overlap/scenarios, which want a quiet machine (ONETURN_LONG=1)');
  if (!services.redis) {
    console.log('SKIPPED: everything that needs Redis (SKIP_REDIS=1)');
    if (process.env.CI) total.failed += 1;
  }
  if (total.passed + total.failed === 0) throw new Failure('no test was selected');
  printTally(total);
  return total.failed === 0 ? 0 : 1;
});
