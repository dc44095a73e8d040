/**
 * Postgres and Redis for the tests, thrown away afterwards. Run alone, it keeps them up until Ctrl-C and prints the
 * environment under which a single spec can be run by hand.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, chmodSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { Failure, runTool } from './parts/failure.mjs';
import { freePort } from './parts/free-port.mjs';
import { isProgram } from './parts/paths.mjs';
import { livePostmaster } from './parts/postmaster.mjs';
import { markIsAlive, processMark } from './parts/process-mark.mjs';
import { redisProgram } from './parts/redis-program.mjs';
import { readStamp, writeStamp } from './parts/stamp.mjs';

const prefix = 'oneturn-test-';

/**
 * Starts what the specs need.
 * @returns {Promise<{env: Record<string, string>, redis: boolean, stop: () => Promise<void>}>} env for Jest.
 */
export async function startTestServices(say) {
  removeLeftovers();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o755);
  writeStamp(join(folder, 'owner'), processMark());
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    database: 'postgres',
    // Durable across any kill of a process, which is all that tests do; only a power cut would lose something.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '400' },
  });
  const env = { ONETURN_TEST_DATABASE_URL: postgres.url };
  let stopRedis = async () => {};
  const stop = async () => {
    await Promise.allSettled([stopRedis(), postgres.stop('immediate')]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const redis = process.env.SKIP_REDIS === '1' ? null : await startRedis(say);
    if (redis !== null) stopRedis = redis.stop;
    return { env: { ...env, ...redis?.env }, redis: redis !== null, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startRedis(say) {
  if (process.env.REDIS_URL) return { env: { ONETURN_TEST_REDIS_URL: process.env.REDIS_URL }, stop: async () => {} };
  const program = await redisProgram(say);
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--databases', '64'];
  const server = spawn(program, args, { stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  await listening(port);
  return {
    env: {
      ONETURN_TEST_REDIS_URL: `redis://127.0.0.1:${port}`,
      ONETURN_TEST_REDIS_OWNED: '1',
      ONETURN_TEST_REDIS_PROGRAM: program,
      ONETURN_TEST_REDIS_PID: String(server.pid),
    },
    stop: async () => {
      server.kill('SIGKILL');
      await ended;
    },
  };
}

async function listening(port) {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await delay(20)) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true) || socket.destroy());
      socket.once('error', () => resolve(false));
    });
    if (open) return;
  }
  throw new Failure('the Redis server for the tests does not answer');
}

/** Ends and removes the Postgres of test runs that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const owner = readStamp(join(folder, 'owner'));
    if (owner === '' || markIsAlive(owner)) continue;
    const postmaster = livePostmaster(join(folder, 'postgres'));
    if (postmaster !== null) process.kill(postmaster.pid, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isProgram(import.meta.url)) {
  await runTool('test-services', async () => {
    const { env, stop } = await startTestServices((line) => console.error(line));
    const ended = new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
    });
    for (const [name, value] of Object.entries(env)) console.log(`export ${name}='${value}'`);
    console.error('running until Ctrl-C');
    const awake = setInterval(() => {}, 60_000);
    await ended;
    clearInterval(awake);
    await stop();
  });
}
