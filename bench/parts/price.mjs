/** What a stretch of work cost the stores, counted by the stores themselves. */

/** Lines of postgresql.conf without which Postgres counts no statements. */
export const countingSettings = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.max': '10000' };

/**
 * Counts from now on.
 * @param {{postgres: object, redis: object}} stores
 * @param {number} redisDatabase of the measured program.
 * @returns {Promise<(messages: number) => Promise<Price>>} to be called at the end.
 *
 * @typedef {object} Price per message.
 * @property {number} roundTrips statements that Postgres was sent, BEGIN and COMMIT included.
 * @property {number} commits
 * @property {number} logBytes written to the write-ahead log.
 * @property {number} jobs added to queues on Redis.
 * @property {number} redisCommands those inside of scripts included.
 * @property {number} redisBytes that Redis was sent.
 */
export async function startCounting({ postgres, redis }, redisDatabase) {
  await postgres.rows('postgres', 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const before = await counters(postgres, redis, redisDatabase);
  return async (messages) => {
    const after = await counters(postgres, redis, redisDatabase);
    return Object.fromEntries(Object.keys(after).map((name) => [name, (after[name] - before[name]) / messages]));
  };
}

async function counters(postgres, redis, redisDatabase) {
  // Of this looking itself only a handful of statements is in it.
  const [row] = await postgres.rows(
    'postgres',
    `SELECT (SELECT sum(calls) FROM pg_stat_statements)::float8 AS "roundTrips",
       (SELECT sum(xact_commit) FROM pg_stat_database)::float8 AS commits,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS "logBytes"`,
  );
  return { ...row, ...(await redis.client(redisDatabase, redisCounters)) };
}

async function redisCounters(client) {
  const info = await client.info('stats');
  const of = (name) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? Number.NaN);
  return {
    jobs: await jobsAdded(client),
    redisCommands: of('total_commands_processed'),
    redisBytes: of('total_net_input_bytes'),
  };
}

/** BullMQ numbers the jobs of each queue, also those whose id is given. */
async function jobsAdded(client) {
  const keys = await client.keys('bull:*:id');
  const values = keys.length === 0 ? [] : await client.mget(keys);
  return values.reduce((sum, value) => sum + Number(value), 0);
}
