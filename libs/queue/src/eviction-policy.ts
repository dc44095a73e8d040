import type { Redis } from 'ioredis';
import type { Log } from '#process';

/**
 * Warns when Redis may throw jobs away under memory pressure. Nothing would be lost for good, but delayed jobs would
 * vanish without a trace and every batch wait for a sweep.
 */
export async function warnOfEviction(redis: Redis, log: Log): Promise<void> {
  try {
    // INFO and not CONFIG GET, which hosted Redis often refuses.
    const policy = /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1];
    if (policy === undefined || policy === 'noeviction') return;
    log.warn({ policy }, `Redis may evict jobs: set maxmemory-policy to noeviction (it is ${policy})`);
  } catch (error) {
    log.debug({ err: error }, 'could not look up the eviction policy of Redis');
  }
}
