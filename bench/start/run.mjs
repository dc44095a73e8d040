/** From the start of a process to its readiness, each service alone, and standalone with the database that it brings. */
import { join } from 'node:path';
import { migrate } from '../parts/migrate.mjs';
import { freePort } from '../../tools/parts/free-port.mjs';
import { judge } from '../parts/judge.mjs';
import { serviceEnv, serviceProgram } from '../parts/oneturn.mjs';
import { withDefaults } from '../parts/options.mjs';
import { linePlot } from '../parts/plot.mjs';
import { inBench } from '../parts/scenario.mjs';
import { startServer } from '../parts/server-process.mjs';
import { shown, summarize, table } from '../parts/summary.mjs';

const defaults = { rounds: 5 };
const services = ['ingest', 'batcher', 'responder', 'console', 'simulator'];
/** ms. Lower, never raise. */
const bars = { service: 2_000, standalone: 5_000 };

/** @returns {Promise<boolean>} whether every bar was met. */
export function startBenchmark(given, say) {
  const options = withDefaults(given, defaults);
  return inBench(
    'start',
    say,
    async ({ services: stores, outside }) => {
      const { postgres, redis, place } = stores;
      await migrate(postgres.urlOf('oneturn'));
      const env = serviceEnv({ databaseUrl: postgres.urlOf('oneturn'), redisUrl: redis.url(1), outside });
      const programs = new Map(services.map((name) => [name, serviceProgram(name, env)]));
      programs.set('standalone', await standaloneProgram(place));
      // Once for nothing: files that are not in memory yet, and standalone's database is made.
      for (const program of programs.values()) await timeStart(program);
      const times = new Map([...programs.keys()].map((name) => [name, []]));
      for (let round = 1; round <= options.rounds; round += 1) {
        for (const [name, program] of programs) times.get(name).push(await timeStart(program));
        say(`round ${round}  ${[...times].map(([name, all]) => `${name} ${all.at(-1).toFixed(0)} ms`).join(', ')}`);
      }
      return report(times, options);
    },
    { save: options.save },
  );
}

async function standaloneProgram(place) {
  const ports = {};
  for (const name of ['INGEST', 'BATCHER', 'RESPONDER']) ports[`${name}_PORT`] = String(await freePort());
  // Its console is the last to be ready.
  return {
    ...serviceProgram('standalone', { ...ports, ONETURN_DATA_DIR: join(place, 'standalone') }),
    portVariable: 'CONSOLE_PORT',
  };
}

async function timeStart(program) {
  const server = await startServer({ ...program, pollMs: 10 });
  await server.stop();
  return server.readyAfterMs;
}

/** @param {Map<string, number[]>} times ms per round. */
export function report(times, { rounds }) {
  const summed = [...times].map(([name, all]) => ({ name, runs: all, ...summarize(all) }));
  const barOf = (name) => (name === 'standalone' ? bars.standalone : bars.service);
  const { lines, failed } = judge(
    summed.map(({ name, median }) => ({ what: name, value: median, most: barOf(name), unit: ' ms' })),
  );
  const rows = summed.map((one) => [one.name, shown(one)]);
  const text = [
    `start: from the process to ready, ${rounds} times, files and database warm: median (range)`,
    '',
    table(['program', 'ms'], rows),
    '',
    ...lines,
  ].join('\n');
  const plot = linePlot({
    title: 'Start until ready',
    x: 'round',
    y: 'ms',
    series: summed.map(({ name, runs }) => ({ name, points: runs.map((ms, index) => [index + 1, ms]) })),
  });
  return { text, failed, plot, result: { options: { rounds }, programs: summed } };
}
