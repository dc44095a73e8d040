/**
 * `npm run bench -- [ingest|latency|timers|pipeline|race|flash|growth|start|all]`: figures against what people would use instead, on a Postgres and a Redis of its own.
 * Everything that it needs is prepared first and removed afterwards; the figures stay in bench/results.
 */
import { Failure, runTool } from './parts/failure.mjs';
import { setup } from './setup.mjs';

/** Imported late: before the setup there may be no packages. */
const scenarios = {
  ingest: async () => (await import('../bench/ingest/run.mjs')).ingestBenchmark,
  latency: async () => (await import('../bench/latency/run.mjs')).latencyBenchmark,
  pipeline: async () => (await import('../bench/pipeline/run.mjs')).pipelineBenchmark,
  race: async () => (await import('../bench/race/run.mjs')).raceBenchmark,
  timers: async () => (await import('../bench/timers/run.mjs')).timersBenchmark,
  flash: async () => (await import('../bench/flash/run.mjs')).flashBenchmark,
  growth: async () => (await import('../bench/growth/run.mjs')).growthBenchmark,
  start: async () => (await import('../bench/start/run.mjs')).startBenchmark,
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
