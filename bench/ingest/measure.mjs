import { randomBytes } from 'node:crypto';
import { cpuMs } from '../parts/cpu-time.mjs';
import { startLoad } from '../parts/load-process.mjs';
import { messageId } from '../parts/envelope.mjs';

const generator = new URL('./generate-load.mjs', import.meta.url);
/** Webhooks made in advance per second of load; a faster server has the rest made while it is measured. */
const preparedPerSecond = 12_000;

/** Loads one server. Resolves to the figures and to the ids that it acknowledged, warm-up included. */
export function load(url, { connections, warmup, seconds }) {
  const run = randomBytes(6).toString('hex');
  const prepare = (warmup + seconds) * preparedPerSecond;
  const { measuring, result, stop } = startLoad(generator, { url, run, connections, warmup, seconds, prepare });
  const finished = result.then(({ acknowledged, measured }) => ({
    measured,
    acknowledged: acknowledged.map((number) => messageId(run, number)),
  }));
  finished.catch(() => {});
  return { measuring, finished, stop };
}

/** One contender once: its figures, how many webhooks it acknowledged, and how many of these it no longer has. */
export async function measure(contender, server, options) {
  const { url, pid } = server;
  const { measuring, finished } = load(url, options);
  await measuring;
  const cpuBefore = cpuMs(pid);
  const { measured, acknowledged } = await finished;
  const cpuUs = (1000 * (cpuMs(pid) - cpuBefore)) / (measured.perSecond * options.seconds);
  const lost = contender.kept === null ? null : acknowledged.length - (await contender.kept(acknowledged, server));
  await contender.tidy?.(server);
  return { ...measured, cpuUs, acknowledged: acknowledged.length, lost };
}
