import { setTimeout as delay } from 'node:timers/promises';
import { startServer } from '../parts/server-process.mjs';
import { load } from './measure.mjs';

/** After the warm-up, ms: in the middle of many commits. */
const beforeKillMs = 2_000;

/**
 * kill -9 in the middle of the load, of ingest or of ingest and Postgres at once; then everything that was
 * acknowledged must be in the table.
 * @returns {Promise<{killed: string, acknowledged: number, lost: number}[]>}
 */
export async function killAtFullLoad(contender, services, { connections }, say) {
  const results = [];
  for (const killed of ['ingest', 'ingest and Postgres']) {
    const server = await startServer(contender.program);
    const running = load(server.url, { connections, warmup: 3, seconds: 30 });
    await running.measuring;
    await delay(beforeKillMs + Math.random() * 500);
    const gone = server.stop('SIGKILL');
    if (killed !== 'ingest') services.postgres.crash();
    await gone;
    running.stop();
    const { acknowledged } = await running.finished;
    if (killed !== 'ingest') await services.postgres.restart();
    const lost = acknowledged.length - (await contender.kept(acknowledged));
    say(`kill -9 of ${killed}: ${acknowledged.length} acknowledged, ${lost} of them lost`);
    results.push({ killed, acknowledged: acknowledged.length, lost });
  }
  return results;
}
