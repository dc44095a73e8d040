/** ingest under load against the obvious design: who answers how many webhooks, and who still has them afterwards. */
import { describeInLines, describeMachine } from '../parts/machine.mjs';
import { withDefaults } from '../parts/options.mjs';
import { printProfile } from '../parts/profile.mjs';
import { savePlot, saveResult } from '../parts/results.mjs';
import { startServer } from '../parts/server-process.mjs';
import { startBenchServices } from '../parts/services.mjs';
import { prepareContenders } from './contenders.mjs';
import { killAtFullLoad } from './kill-at-load.mjs';
import { measure } from './measure.mjs';
import { report } from './report.mjs';

const defaults = { rounds: 5, seconds: 6, warmup: 2, connections: 64, old: 1_000_000 };

/** @returns {Promise<boolean>} whether every bar was met. */
export async function ingestBenchmark(given, say) {
  const options = withDefaults(given, defaults);
  const services = await startBenchServices(say);
  try {
    const machine = await describeMachine(services.postgres, services.redis.version, services.place);
    for (const line of describeInLines(machine)) say(line);
    const contenders = await prepareContenders(services, options, say);
    if (options.profile) return await profile(contenders, services, options, say);
    const runs = await alternate(contenders, options, say);
    const ours = contenders.find(({ name }) => name === 'oneturn');
    const kills = ours && options.kills ? await killAtFullLoad(ours, services, options, say) : [];
    const { text, result, plot } = report(runs, kills, options);
    say(`\n${text}`);
    if (options.rounds > 0 && options.save) {
      say(`\n${await saveResult('ingest', { machine, ...result })}`);
      say(savePlot('ingest', plot));
    }
    return result.failed.length === 0;
  } finally {
    await services.stop();
  }
}

/** All of them in turn, again and again and each time another one first, so that a noisy minute hits all alike. */
async function alternate(contenders, options, say) {
  const servers = new Map();
  const runs = new Map(contenders.map(({ name }) => [name, []]));
  try {
    for (const { name, program } of contenders) servers.set(name, await startServer(program));
    for (let round = 0; round < options.rounds; round += 1) {
      const order = contenders.map((_, index) => contenders[(index + round) % contenders.length]);
      for (const contender of order) {
        const figures = await measure(contender, servers.get(contender.name), options);
        runs.get(contender.name).push(figures);
        const { perSecond, p99, cpuUs, refused, errors } = figures;
        const trouble = refused + errors > 0 ? `, ${refused} refused, ${errors} errors` : '';
        say(
          `round ${round + 1}  ${contender.name.padEnd(23)} ${perSecond.toFixed(0)}/s, p99 ${p99} ms, cpu ${cpuUs.toFixed(0)} us${trouble}`,
        );
        if (trouble) say(servers.get(contender.name).output().slice(-2_000));
      }
    }
    return runs;
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  }
}

async function profile(contenders, { place }, options, say) {
  for (const contender of contenders) {
    const folder = `${place}/${contender.name}`;
    const nodeFlags = ['--cpu-prof', '--cpu-prof-dir', folder];
    const server = await startServer({ ...contender.program, nodeFlags });
    const { perSecond } = await measure({ ...contender, kept: null }, server, options);
    await server.stop();
    say(`\n${contender.name}: ${perSecond.toFixed(0)}/s while profiled`);
    printProfile(folder, options.seconds * 1000, say);
  }
  return true;
}
