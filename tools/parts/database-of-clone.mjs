import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataPlace } from './data-place.mjs';
import { Failure } from './failure.mjs';

/**
 * DATABASE_URL, or the embedded Postgres of this clone, started for the caller alone when nobody runs it.
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
export async function databaseOfClone(env) {
  if (env.DATABASE_URL !== undefined) return { url: env.DATABASE_URL, stop: async () => {} };
  if (!existsSync(join(dataPlace(), 'postgres')))
    throw new Failure('there is no data yet: DATABASE_URL is not set and nothing was ever started here');
  const { startEmbeddedPostgres } = await import('../embedded-postgres.mjs');
  const postgres = await startEmbeddedPostgres();
  return { url: postgres.url, stop: postgres.adopted ? async () => {} : () => postgres.stop() };
}
