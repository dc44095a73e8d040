/**
 * The Postgres that comes with the dependencies, run as a process of its own session: it outlives whoever started it,
 * and whoever comes next adopts it.
 */
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run, tail } from './parts/command.mjs';
import { dataPlace, keptSecret } from './parts/data-place.mjs';
import { Failure } from './parts/failure.mjs';
import { freePort } from './parts/free-port.mjs';
import { takeLock } from './parts/lock.mjs';
import { postgresBinaries } from './parts/postgres-binaries.mjs';
import { postgresUser } from './parts/postgres-user.mjs';
import { disownReusedPid, livePostmaster } from './parts/postmaster.mjs';
import { readStamp, writeStamp } from './parts/stamp.mjs';

const retryMs = 15_000;
const readyMs = 60_000;

/**
 * Starts the embedded Postgres, or adopts the one that already runs on this data.
 * @param {object} options
 * @param {string} [options.dataDir] the folder of the cluster, made when missing; default: `postgres` in the data place.
 * @param {number} [options.port] the wanted port; default: the last one, or any free one.
 * @param {Record<string, string>} [options.settings] lines of postgresql.conf, for tests.
 * @param {string} [options.database] made when missing; default `oneturn`.
 * @returns {Promise<{url: string, port: number, pid: number, adopted: boolean, dataDir: string, stop: (mode?: string) => Promise<void>}>}
 * @throws {Failure} when it cannot be started, with the end of its log.
 */
export async function startEmbeddedPostgres({ dataDir, port, settings = {}, database = 'oneturn' } = {}) {
  const place = dataDir === undefined ? dataPlace() : dirname(dataDir);
  const data = dataDir ?? join(place, 'postgres');
  mkdirSync(place, { recursive: true });
  const user = postgresUser();
  const cluster = {
    data,
    place,
    user,
    programs: postgresBinaries(user, place),
    password: keptSecret(place, 'postgres'),
  };
  const release = await takeLock(join(place, 'postgres.lock'));
  try {
    if (!existsSync(data)) await createCluster(cluster);
    const adopted = livePostmaster(data) !== null;
    if (!adopted) await launch(cluster, port, settings);
    const live = await untilReady(data);
    writeStamp(join(place, 'postgres.port'), String(live.port));
    const url = (name) => `postgresql://postgres:${cluster.password}@127.0.0.1:${live.port}/${name}`;
    await ensureDatabase(url('postgres'), database);
    return { ...live, url: url(database), adopted, dataDir: data, stop: (mode = 'fast') => stop(cluster, mode) };
  } finally {
    release();
  }
}

/** initdb into a folder next to the final one, so that a half-made cluster is never taken for a whole one. */
async function createCluster({ data, place, user, programs, password }) {
  const draft = `${data}.new`;
  const passwordFile = join(place, `.password-${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of user === null ? [] : [draft, passwordFile]) chownSync(path, user.uid, user.gid);
  const { code, output } = await run(
    join(programs, 'initdb'),
    [
      ...['-D', draft, '-U', 'postgres', '--encoding=UTF8', '--locale=C'],
      // Order by code point like C, but upper and lower case work beyond ASCII.
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...['--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ],
    { ...user, cwd: place },
  );
  rmSync(passwordFile, { force: true });
  if (code !== 0) throw new Failure(`initdb failed (code ${code}):\n${tail(output)}`);
  renameSync(draft, data);
}

/** Starts the postmaster; keeps trying for a while, because orphans of a killed one hold on to the data for a moment. */
async function launch({ data, place, user, programs }, wantedPort, settings) {
  const log = join(data, 'server.log');
  const deadline = Date.now() + retryMs;
  for (;;) {
    disownReusedPid(data);
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 10_000_000) renameSync(log, `${log}.old`);
    const port = await freePort(wantedPort ?? (Number(readStamp(join(place, 'postgres.port'))) || 0));
    const options = {
      listen_addresses: '127.0.0.1',
      // Loopback only: the path of a socket below a deep clone would be too long for the system.
      unix_socket_directories: '',
      max_connections: '200',
      ...settings,
    };
    const flags = Object.entries(options).map(([name, value]) => `-c ${name}='${value}'`);
    const { code, output } = await run(
      join(programs, 'pg_ctl'),
      ['start', '-D', data, '-l', log, '-w', '-t', '60', '-o', `-p ${port} ${flags.join(' ')}`],
      // A session of its own, or Ctrl-C in the terminal would stop the database before those who still write to it.
      { ...user, cwd: data, detached: true },
    );
    if (code === 0) return;
    if (Date.now() > deadline) throw new Failure(`Postgres does not start; ${log} says:\n${await endOf(log, output)}`);
    await delay(250);
  }
}

async function untilReady(data) {
  const deadline = Date.now() + readyMs;
  for (;;) {
    const live = livePostmaster(data);
    if (live?.ready && live.port > 0) return { pid: live.pid, port: live.port };
    if (live === null || Date.now() > deadline) throw new Failure(`Postgres on ${data} stopped while it started`);
    await delay(20);
  }
}

async function ensureDatabase(adminUrl, name) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

async function stop({ data, user, programs }, mode) {
  if (livePostmaster(data) === null) return;
  const args = ['stop', '-D', data, '-m', mode, '-w', '-t', '60'];
  const { code, output } = await run(join(programs, 'pg_ctl'), args, { ...user, cwd: data, detached: true });
  if (code !== 0 && livePostmaster(data) !== null) throw new Failure(`Postgres does not stop:\n${tail(output)}`);
}

async function endOf(log, output) {
  const { output: lines, code } = await run('tail', ['-n', '12', log]);
  return code === 0 ? lines.trimEnd() : tail(output);
}
