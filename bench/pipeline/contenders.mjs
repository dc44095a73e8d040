import { migrate } from '../parts/migrate.mjs';
import { prepareChatSdk } from '../ingest/chat-sdk.mjs';
import { insertOldEvents } from '../parts/old-events.mjs';
import { startOneturn } from '../parts/oneturn.mjs';
import { startServer } from '../parts/server-process.mjs';

const poolMax = 10;

/**
 * Each contender: `start()` to a program whose `url` takes webhooks, `redisDatabase` where its work on Redis is
 * counted. All ask the same model, post to the same channel, wait as long for more, and run as many turns at once.
 */
export async function prepareContenders(services, outside, options, say) {
  const makers = {
    oneturn: () => oneturn(services, outside, options, say),
    'chat-sdk-burst': () => chatSdk(services, outside, options, 2, 'burst', 'redis'),
    'chat-sdk-queue': () => chatSdk(services, outside, options, 3, 'queue', 'redis'),
    'chat-sdk-burst-postgres': () => chatSdk(services, outside, options, 4, 'burst', 'postgres'),
  };
  // The others only when they are asked for: they lose so much that a rate says little.
  const wanted = options.only ?? ['oneturn', 'chat-sdk-burst'];
  const names = Object.keys(makers).filter((name) => wanted.includes(name));
  const prepared = [];
  for (const name of names) prepared.push({ name, ...(await makers[name]()) });
  return prepared;
}

async function oneturn({ postgres, redis }, outside, { window, turns, old, strategy }, say) {
  const databaseUrl = postgres.urlOf('oneturn');
  await migrate(databaseUrl);
  await insertOldEvents(postgres, 'oneturn', { count: old }, say);
  const env = {
    WINDOW_MS: window,
    TURN_CONCURRENCY: turns,
    DATABASE_POOL_MAX: poolMax,
    OVERLAP_STRATEGY: strategy ?? 'batch',
  };
  return {
    redisDatabase: 1,
    start: () => startOneturn({ databaseUrl, redisUrl: redis.url(1), outside, env }),
  };
}

async function chatSdk(services, outside, { window, turns }, redisDatabase, strategy, store) {
  const env = {
    DEBOUNCE_MS: String(window),
    TURN_CONCURRENCY: String(turns),
    MODEL_URL: outside.modelUrl,
    WHATSAPP_API_URL: outside.apiUrl,
  };
  const { program } = await prepareChatSdk(services, redisDatabase, { strategy, store, poolMax }, env);
  return {
    redisDatabase,
    start: () => startServer(program),
    tidy: () => services.redis.client(redisDatabase, (client) => client.flushdb()),
  };
}
