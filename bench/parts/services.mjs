/** A Postgres and a Redis for one benchmark, as durable as in production, thrown away afterwards. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../tools/embedded-postgres.mjs';
import { dataPlace } from '../../tools/parts/data-place.mjs';
import { Failure } from '../../tools/parts/failure.mjs';
import { freePort } from '../../tools/parts/free-port.mjs';
import { tryLock } from '../../tools/parts/lock.mjs';
import { livePostmaster } from '../../tools/parts/postmaster.mjs';
import { commandLine } from '../../tools/parts/process-mark.mjs';
import { redisProgram } from '../../tools/parts/redis-program.mjs';
import { readStamp } from '../../tools/parts/stamp.mjs';

/** Spelled out although they are the defaults: a figure without them would be worth nothing. */
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

const redisPid = 'redis.pid';

/**
 * @param {Record<string, string>} [settings] more lines of postgresql.conf.
 * @returns {Promise<{place: string, postgres: {urlOf: (database: string) => string, rows: Function, query: Function,
 *   crash: Function, restart: Function},
 *   redis: {url: (database: number) => string, client: Function, version: string, gone: Function, back: Function},
 *   stop: () => Promise<void>}>}
 * @throws {Failure} when another benchmark runs: two would measure each other.
 */
export async function startBenchServices(say, settings = {}) {
  const home = dataPlace();
  const unlock = tryLock(join(home, 'bench.lock'));
  if (unlock === null) throw new Failure('another benchmark is running in this clone');
  const place = join(home, 'bench');
  removeLeftovers(place);
  mkdirSync(place, { recursive: true });
  // Postgres may run as a user of its own, who must be able to enter.
  chmodSync(place, 0o755);
  const stops = [unlock, () => rmSync(place, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  const stopAndExit = () => void stop().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stopAndExit);
  try {
    const postgres = await startPostgres(join(place, 'postgres'), settings);
    stops.push(postgres.stop);
    const redis = await startRedis(place, say);
    stops.push(redis.stop);
    return { place, postgres, redis, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPostgres(dataDir, settings) {
  const start = () => startEmbeddedPostgres({ dataDir, database: 'oneturn', settings: { ...durable, ...settings } });
  let server = await start();
  const urlOf = (database) => server.url.replace(/\/[^/]*$/, `/${database}`);
  return {
    urlOf,
    /** The rows of one statement. */
    async rows(database, sql, values = []) {
      const client = new Client({ connectionString: urlOf(database) });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(sql, values)).rows;
      } finally {
        await client.end();
      }
    },
    /** The first value of one statement. */
    async query(sql, values, database = 'postgres') {
      return Object.values((await this.rows(database, sql, values))[0] ?? {})[0];
    },
    /** kill -9 of the server. */
    crash: () => process.kill(server.pid, 'SIGKILL'),
    /** Starts it again; it recovers from its log. */
    restart: async () => void (server = await start()),
    stop: () => server.stop('immediate'),
  };
}

/** As in docker-compose.yml: appendonly, noeviction. */
async function startRedis(place, say) {
  const port = await freePort();
  const settings = [
    '--appendonly',
    'yes',
    '--appendfsync',
    'everysec',
    '--maxmemory-policy',
    'noeviction',
    '--save',
    '',
  ];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', place, ...settings];
  args.push('--pidfile', join(place, redisPid));
  const program = await redisProgram(say);
  let ended = Promise.resolve();
  let server;
  const back = () => {
    server = spawn(program, args, { stdio: 'ignore', detached: true });
    ended = new Promise((resolve) => server.once('exit', resolve));
  };
  back();
  const url = (database) => `redis://127.0.0.1:${port}/${database}`;
  /** Runs `work` on a connection to one of the databases. */
  const client = async (database, work) => {
    const redis = new Redis(url(database), { retryStrategy: () => 50, maxRetriesPerRequest: 200 });
    redis.on('error', () => {});
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  };
  const info = await client(0, (redis) => redis.info('server'));
  /** kill -9; `back` starts it again on what it had written. */
  const gone = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  return { url, client, version: /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown', gone, back, stop: gone };
}

/** What a benchmark that was killed left behind. */
function removeLeftovers(place) {
  if (!existsSync(place)) return;
  const redis = Number(readStamp(join(place, redisPid)));
  if (redis > 0 && commandLine(redis).includes('redis-server')) process.kill(redis, 'SIGKILL');
  // The bench's own, and that of a standalone whose start was measured.
  for (const data of [join(place, 'postgres'), join(place, 'standalone', 'postgres')]) {
    const postmaster = livePostmaster(data);
    if (postmaster !== null) process.kill(postmaster.pid, 'SIGQUIT');
  }
  rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
