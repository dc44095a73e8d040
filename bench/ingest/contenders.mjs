/** The programs that are measured against each other, and how each one's promises are counted. */
import { migrate } from '../parts/migrate.mjs';
import { at, dataFolder } from '../../tools/parts/paths.mjs';
import { makeNaiveClient, naiveTable } from '../peers/naive-client.mjs';
import { account } from '../parts/envelope.mjs';
import { insertOldEvents } from '../parts/old-events.mjs';
import { peerProgram } from '../parts/peer-program.mjs';
import { prepareChatSdk } from './chat-sdk.mjs';

/** Connections to Postgres, for all alike; the default of oneturn. */
const poolMax = 10;

/**
 * Each contender: `program` to start, `kept(ids, server)` how many of these message ids it can still show, null when it
 * keeps none, and `tidy(server)` for what would get in the way of the next run.
 */
export async function prepareContenders(services, { only, old }, say) {
  const chatSdk = (strategy, store) => (number) => prepareChatSdk(services, number, { strategy, store, poolMax });
  const makers = {
    bare,
    oneturn: (number) => oneturn(services, number, old, say),
    'queue-only': (number) => queueOnly(services, number),
    'naive-fastify': (number) => naive(services, number, 'naive-fastify'),
    'naive-express': (number) => naive(services, number, 'naive-express'),
    'chat-sdk-burst': chatSdk('burst', 'redis'),
    'chat-sdk-queue': chatSdk('queue', 'redis'),
    'chat-sdk-burst-postgres': chatSdk('burst', 'postgres'),
  };
  const names = Object.keys(makers).filter((name) => only === null || only.includes(name));
  const prepared = [];
  for (const [index, name] of names.entries()) prepared.push({ name, ...(await makers[name](index + 1)) });
  return prepared;
}

function bare() {
  return { program: peerProgram('bare', {}), kept: null };
}

async function oneturn({ postgres, redis }, database, old, say) {
  await migrate(postgres.urlOf('oneturn'));
  await insertOldEvents(postgres, 'oneturn', { count: old }, say);
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

function queueOnly({ redis }, database) {
  return {
    program: peerProgram('queue-only', redisEnv(redis, database)),
    kept: (ids) => jobsKept(redis, database, ids),
    tidy: () => redis.client(database, (client) => client.flushdb()),
  };
}

async function naive({ postgres, redis }, database, name) {
  const ownDatabase = `bench_${name.replace('-', '_')}`;
  await postgres.query(`CREATE DATABASE ${ownDatabase}`);
  await postgres.query(naiveTable, undefined, ownDatabase);
  const env = {
    ...redisEnv(redis, database),
    DATABASE_URL: postgres.urlOf(ownDatabase),
    POOL_MAX: String(poolMax),
    NAIVE_CLIENT: await makeNaiveClient(`${dataFolder}/bench-naive-client`),
  };
  return {
    program: peerProgram(name, env),
    kept: async (ids) => {
      const sql = `SELECT count(*)::int FROM "Message" WHERE wamid = ANY($1)`;
      return Math.min(await postgres.query(sql, [ids], ownDatabase), await jobsKept(redis, database, ids));
    },
    tidy: () => redis.client(database, (client) => client.flushdb()),
  };
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
