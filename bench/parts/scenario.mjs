import { describeInLines, describeMachine } from './machine.mjs';
import { startOutside } from './outside.mjs';
import { savePlot, saveResult } from './results.mjs';
import { startBenchServices } from './services.mjs';

/**
 * Opens what a benchmark stands on, lets it measure, and writes down what it found.
 * @param {string} name of the benchmark and of its files.
 * @param {(bench: {services: object, outside: object}) => Promise<{text: string, failed: string[], result: object,
 *   plot?: string}>} work where a few numbers say all, there is no plot
 * @param {{settings?: Record<string, string>, save: boolean}} how more lines of postgresql.conf; whether the figures
 *   replace those of the last run in bench/results.
 * @returns {Promise<boolean>} whether every bar was met.
 */
export async function inBench(name, say, work, { settings, save }) {
  const services = await startBenchServices(say, settings);
  let outside;
  try {
    const machine = await describeMachine(services.postgres, services.redis.version, services.place);
    for (const line of describeInLines(machine)) say(line);
    outside = await startOutside();
    const { text, failed, result, plot } = await work({ services, outside });
    say(`\n${text}\n`);
    if (save) {
      say(await saveResult(name, { machine, ...result, failed }));
      if (plot !== undefined) say(savePlot(name, plot));
    }
    return failed.length === 0;
  } finally {
    outside?.stop();
    await services.stop();
  }
}
