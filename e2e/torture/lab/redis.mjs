/** A Redis of the run's own, which loses everything, goes away, or throws keys out. */
import { Redis } from 'ioredis';
import { startOwnRedis } from '#testing';
import { redisProgram } from '../../../tools/parts/redis-program.mjs';

const JUNK_KEYS = 400;
const JUNK_BYTES = 20_000;

export async function startRedis(say) {
  process.env.ONETURN_TEST_REDIS_PROGRAM ??= await redisProgram(say);
  const own = await startOwnRedis();
  const command = async (...steps) => {
    const client = new Redis(own.url, { maxRetriesPerRequest: 1, retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => {});
    try {
      await client.connect();
      for (const step of steps) await client.call(...step);
    } catch {
      // Away at this moment: then there is nothing to empty either.
    } finally {
      client.disconnect();
    }
  };
  return {
    url: own.url,
    flush: () => command(['FLUSHALL']),
    /** Fills it beyond its memory, so that it throws out what it likes, queues included. */
    async evict() {
      const junk = Array.from({ length: JUNK_KEYS }, (_, i) => ['SET', `junk:${i}`, 'x'.repeat(JUNK_BYTES)]);
      await command(
        ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random'],
        ['CONFIG', 'SET', 'maxmemory', '3mb'],
        ...junk,
        ['CONFIG', 'SET', 'maxmemory', '0'],
        ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
        ...junk.map(([, key]) => ['DEL', key]),
      );
    },
    kill: () => own.kill(),
    /** Empty, on the same port. */
    restart: () => own.restart(),
  };
}
