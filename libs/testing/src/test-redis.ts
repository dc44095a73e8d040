import { Redis } from 'ioredis';

/**
 * The Redis of this run, as a URL with a database number of this Jest worker's own, emptied.
 * @returns null when the Redis half is skipped (SKIP_REDIS=1): the spec then runs on the Postgres backend alone.
 */
export async function testRedis(): Promise<string | null> {
  const base = process.env['ONETURN_TEST_REDIS_URL'];
  if (!base) {
    if (process.env['SKIP_REDIS'] === '1') return null;
    throw new Error('no Redis for tests: use `npm test -- <path>`, or set what `node tools/test-services.mjs` prints');
  }
  const url = new URL(base);
  url.pathname = `/${process.env['JEST_WORKER_ID'] ?? '0'}`;
  // Only a Redis that was started for this run may be emptied; one that the caller named may hold something.
  if (process.env['ONETURN_TEST_REDIS_OWNED'] === '1') {
    const redis = new Redis(url.href, { maxRetriesPerRequest: 1 });
    try {
      await redis.flushdb();
    } finally {
      redis.disconnect();
    }
  }
  return url.href;
}
