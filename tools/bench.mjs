/**
 * `npm run bench -- [ingest]`: figures against what people would use instead, on a Postgres and a Redis of its own.
 * Everything that it needs is prepared first and removed afterwards; the figures stay in bench/results.
 */
import { Failure, runTool } from './parts/failure.mjs';
import { setup } from './setup.mjs';

/** Imported late: before the setup there may be no packages. */
const scenarios = {
  ingest: async () => (await import('../bench/ingest/run.mjs')).ingestBenchmark,
};

await runTool('bench', async () => {
  const say = (line) => console.log(line);
  const { readOptions } = await import('../bench/parts/options.mjs');
  const options = readOptions(process.argv.slice(2), Object.keys(scenarios));
  await setup(say);
  const missed = [];
  for (const name of options.scenarios) {
    const benchmark = await scenarios[name]();
    if (!(await benchmark(options, say))) missed.push(name);
  }
  if (missed.length > 0) throw new Failure(`bars missed: ${missed.join(', ')}`);
});
