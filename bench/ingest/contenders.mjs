/** The programs that are measured against each other, and how each one's promises are counted. */
import { fileURLToPath } from 'node:url';
import { applyMigrations } from '../../tools/migrate.mjs';
import { at, dataFolder } from '../../tools/parts/paths.mjs';
import { makeNaiveClient, naiveTable } from '../peers/naive-client.mjs';
import { account } from './envelope.mjs';

/** Connections to Postgres, for all alike; the default of oneturn. */
const poolMax = 10;
const peer = (name) => fileURLToPath(new URL(`../peers/${name}.mjs`, import.meta.url));

/**
 * Each contender: `program` to start, `kept(ids)` how many of these message ids it can still show, null when it keeps
 * none, and `tidy()` for what would get in the way of the next run.
 */
export async function prepareContenders({ postgres, redis }, only) {
  const makers = { bare, oneturn, 'queue-only': queueOnly, 'naive-fastify': naiveFastify };
  const names = Object.keys(makers).filter((name) => only === null || only.includes(name));
  return Promise.all(names.map(async (name, index) => ({ name, ...(await makers[name](postgres, redis, index + 1)) })));
}

function bare() {
  return { program: peerProgram('bare', {}), kept: null };
}

async function oneturn(postgres, redis, database) {
  await applyMigrations(postgres.urlOf('oneturn'));
  const program = {
    script: at('dist', 'apps', 'ingest', 'main.js'),
    portVariable: 'INGEST_PORT',
    env: {
      DATABASE_URL: postgres.urlOf('oneturn'),
      DATABASE_POOL_MAX: String(poolMax),
      REDIS_URL: redis.url(database),
      WHATSAPP_PHONE_NUMBER_ID: account.phoneNumberId,
      WHATSAPP_ACCESS_TOKEN: account.token,
      WHATSAPP_APP_SECRET: account.secret,
    },
  };
  const kept = (ids) =>
    postgres.query(
      `SELECT count(*)::int FROM event WHERE account_key = $1 AND external_id = ANY($2)`,
      [`whatsapp:${account.phoneNumberId}`, ids],
      'oneturn',
    );
  return { program, kept };
}

function queueOnly(_postgres, redis, database) {
  return {
    program: peerProgram('queue-only', redisEnv(redis, database)),
    kept: (ids) => jobsKept(redis, database, ids),
    tidy: () => redis.client(database, (client) => client.flushdb()),
  };
}

async function naiveFastify(postgres, redis, database) {
  await postgres.query('CREATE DATABASE bench_naive');
  await postgres.query(naiveTable, undefined, 'bench_naive');
  const env = {
    ...redisEnv(redis, database),
    DATABASE_URL: postgres.urlOf('bench_naive'),
    POOL_MAX: String(poolMax),
    NAIVE_CLIENT: await makeNaiveClient(`${dataFolder}/bench-naive-client`),
  };
  return {
    program: peerProgram('naive-fastify', env),
    kept: async (ids) => {
      const sql = `SELECT count(*)::int FROM "Message" WHERE wamid = ANY($1)`;
      return Math.min(await postgres.query(sql, [ids], 'bench_naive'), await jobsKept(redis, database, ids));
    },
    tidy: () => redis.client(database, (client) => client.flushdb()),
  };
}

function peerProgram(name, env) {
  return { script: peer(name), portVariable: 'PORT', env: { APP_SECRET: account.secret, ...env } };
}

function redisEnv(redis, database) {
  const { hostname, port } = new URL(redis.url(database));
  return { REDIS_HOST: hostname, REDIS_PORT: port, REDIS_DB: String(database) };
}

/** Nobody works the queue, so every job that was added still waits. */
async function jobsKept(redis, database, ids) {
  const waiting = new Set(await redis.client(database, (client) => client.lrange('bull:messages:wait', 0, -1)));
  return ids.filter((id) => waiting.has(id)).length;
}
