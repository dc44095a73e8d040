import { at } from '../../tools/parts/paths.mjs';
import { account } from './envelope.mjs';
import { startServer } from './server-process.mjs';

/** The services that carry a message from its webhook to its reply. */
export const messageServices = ['ingest', 'batcher', 'responder'];

/** One service of oneturn, for startServer. */
export const serviceProgram = (name, env) => ({
  script: at('dist', 'apps', name, 'main.js'),
  portVariable: `${name.toUpperCase()}_PORT`,
  env,
});

/**
 * What all services are given: the bench's account, and the outside as channel and model.
 * @param {{databaseUrl: string, redisUrl?: string, outside: {apiUrl: string,
 *   modelUrl: string}, env?: Record<string, string | number>}} how without `redisUrl` the queues are on Postgres.
 */
export function serviceEnv({ databaseUrl, redisUrl, outside, env = {} }) {
  return {
    DATABASE_URL: databaseUrl,
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    WHATSAPP_PHONE_NUMBER_ID: account.phoneNumberId,
    WHATSAPP_ACCESS_TOKEN: account.token,
    WHATSAPP_APP_SECRET: account.secret,
    WHATSAPP_API_URL: outside.apiUrl,
    AI_MODEL: 'http',
    ASSISTANT_URL: outside.modelUrl,
    ASSISTANT_SECRET: 'bench-assistant-secret',
    // The benches make one person write more than anybody does in a day.
    MAX_TURNS_PER_DAY: '1000000',
    ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
  };
}

/**
 * Starts ingest, batcher and responder as processes of their own. `databaseUrlOf` gives a service an address of its own
 * (a role of its own, say).
 * @returns {Promise<{url: string, servers: Record<string, {pid: number, url: string, output: () => string}>,
 *   stop: () => Promise<void>}>} `url` takes the webhooks.
 */
export async function startOneturn(how, databaseUrlOf = () => how.databaseUrl) {
  const servers = {};
  const stop = () => Promise.all(Object.values(servers).map((server) => server.stop()));
  try {
    // One after the other: the first one writes the account, and together they would be slower to start.
    for (const name of messageServices)
      servers[name] = await startServer(serviceProgram(name, serviceEnv({ ...how, databaseUrl: databaseUrlOf(name) })));
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: servers.ingest.url, servers, stop };
}
