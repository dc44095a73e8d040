/** How many connections to Postgres the queue needs, so that it is noticed at boot and not under load. */
import type { Client } from 'pg';
import type { Log } from '#process';

/** Largest pool of one queue or worker. More only holds connections; a pool shared by all of them hangs. */
export const POOL_MAX = 2;

export interface QueueUse {
  consumes: number;
  produces: number;
}

/** A worker holds a pool and one connection that listens; a queue holds a pool. */
export function connectionsNeeded(use: QueueUse): number {
  return use.consumes * (POOL_MAX + 1) + use.produces * POOL_MAX;
}

/**
 * Compares what this service may open with what the server has left, and logs a warning or an error.
 * @param others connections of this service besides those of the queue: DATABASE_POOL_MAX.
 */
export async function checkConnectionBudget(client: Client, use: QueueUse, others: number, log: Log): Promise<void> {
  const { rows } = await client.query<{ most: number; used: number }>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
            (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`,
  );
  const server = rows[0];
  if (!server) return;
  const needed = connectionsNeeded(use) + others;
  const facts = { needed, forQueue: connectionsNeeded(use), most: server.most, used: server.used };
  const advice = 'raise max_connections, lower DATABASE_POOL_MAX, or set REDIS_URL';
  if (needed > server.most) log.error(facts, `Postgres allows fewer connections than this service needs: ${advice}`);
  else if (needed > server.most - server.used) log.warn(facts, `Postgres is short of connections: ${advice}`);
}
