import { requireDatabaseUrl, type Env, type Log } from '#process';
import type { QueueBackend } from './backend.js';
import type { QueueUse } from './connection-budget.js';
import { PostgresBackend } from './postgres-backend.js';
import { RedisBackend } from './redis-backend.js';

/**
 * Redis when REDIS_URL is set, else the Postgres of DATABASE_URL. Connects in the background.
 * @throws EnvError when neither is set.
 */
export function chooseBackend(env: Readonly<Env>, use: QueueUse, log: Log): QueueBackend {
  if (env.REDIS_URL !== undefined) return new RedisBackend(env.REDIS_URL, log);
  return new PostgresBackend(requireDatabaseUrl(env), use, env.DATABASE_POOL_MAX, log);
}
