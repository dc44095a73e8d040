/**
 * `npm start`: prepares the clone and runs everything on this machine: Postgres, a simulator in the place of the
 * channels unless real credentials are set, and all services in one process.
 *
 *   npm start               logs go to files, which are named at the start
 *   npm start -- --logs     and to the terminal
 *
 * The data is kept in `.data/`; ONETURN_DATA_DIR names another folder. A port of 0 means any free one.
 */
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { applyMigrations } from './migrate.mjs';
import { dataPlace } from './parts/data-place.mjs';
import { loadEnvFile } from './parts/env-file.mjs';
import { Failure, runTool } from './parts/failure.mjs';
import { isFree } from './parts/free-port.mjs';
import { awaitLeftoverChildren, rememberChildren } from './parts/leftover-children.mjs';
import { holderOf, tryLock } from './parts/lock.mjs';
import { openLog } from './parts/log-file.mjs';
import { root } from './parts/paths.mjs';
import { keepPostgresRunning } from './parts/postgres-watch.mjs';
import { addressOf, needsSimulator, startEnvironment } from './parts/start-environment.mjs';
import { supervise } from './parts/supervised-child.mjs';
import { setup } from './setup.mjs';

const readyMs = 60_000;
/** A service that ends this often before it was ever ready will not get ready: its reason is shown instead. */
const hopeless = 3;
const say = (line) => console.log(line);

await runTool('start', async () => {
  const stopRequested = stopSignals();
  await setup(say);
  loadEnvFile();
  const place = dataPlace();
  const lockFile = join(place, 'start.lock');
  const unlock = tryLock(lockFile);
  if (unlock === null)
    throw new Failure(`this clone is running already (pid ${Number.parseInt(holderOf(lockFile), 10)})`);
  const stops = [unlock];
  try {
    await startAll(place, stops, stopRequested);
    await stopRequested.first;
    say('stopping (once more Ctrl-C: at once) ...');
  } finally {
    for (const stop of stops.reverse()) await stop(stopRequested.urgent);
  }
  say('stopped');
});

async function startAll(place, stops, stopRequested) {
  const children = join(place, 'children');
  await awaitLeftoverChildren(children, say);
  if (stopRequested.any()) return;
  const postgres = process.env.DATABASE_URL ? null : await startEmbeddedPostgres();
  if (postgres !== null) stops.push(keepPostgresRunning(postgres, say));
  const databaseUrl = postgres?.url ?? process.env.DATABASE_URL;
  const applied = await applyMigrations(databaseUrl);
  if (applied.length > 0) say(`applied ${applied.length} migration(s)`);

  const env = await startEnvironment(process.env, databaseUrl, place);
  const simulated = needsSimulator(process.env);
  if (stopRequested.any()) return;
  const services = ['CONSOLE', 'INGEST', 'BATCHER', 'RESPONDER', ...(simulated ? ['SIMULATOR'] : [])];
  await refuseTakenPorts(env, services);
  const remember = rememberChildren(children);
  const state = { ready: false };
  const dead = new Promise((_, reject) => {
    for (const name of simulated ? ['simulator', 'standalone'] : ['standalone']) {
      const log = openLog(join(place, 'logs', `${name}.log`), { follow: process.argv.includes('--logs') });
      const child = supervise(name, env, log, {
        started: (pid) => pid && remember(name, pid),
        ended: (code, signal, starts) => {
          const how = `${name} ended (${signal ?? `code ${code}`})`;
          if (!state.ready && starts >= hopeless) reject(new Failure(`${how} and does not start:\n${log.recent()}`));
          else say(`${how}, starting it again`);
        },
      });
      stops.push((urgent) => child.stop(urgent));
    }
  });
  dead.catch(() => {});
  await Promise.race([dead, untilReady(env, services, place, () => stopRequested.any())]);
  state.ready = true;
  if (!stopRequested.any()) announce(env, simulated, place, postgres);
}

async function refuseTakenPorts(env, services) {
  for (const service of services) {
    const port = Number(env[`${service}_PORT`]);
    if (await isFree(port, env.HOST)) continue;
    throw new Failure(`port ${port} on ${env.HOST} is taken: stop what listens there, or set ${service}_PORT`);
  }
}

async function untilReady(env, services, place, given) {
  for (const deadline = Date.now() + readyMs; ; await delay(100)) {
    const waiting = [];
    for (const service of services) {
      const answer = await fetch(`${addressOf(env, service)}/health/ready`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => null);
      await answer?.arrayBuffer().catch(() => {});
      if (answer?.status !== 200) waiting.push(service.toLowerCase());
    }
    if (waiting.length === 0 || given()) return;
    if (Date.now() > deadline)
      throw new Failure(`not ready after a minute: ${waiting.join(', ')}; the logs are in ${join(place, 'logs')}`);
  }
}

function announce(env, simulated, place, postgres) {
  const shown = (path) => (path.startsWith(root) ? relative(root, path) : path);
  const token = process.env.CONSOLE_API_TOKEN ? 'CONSOLE_API_TOKEN' : shown(join(place, 'secrets', 'console-token'));
  say('\noneturn is ready\n');
  if (simulated) say(`  phone     ${addressOf(env, 'SIMULATOR')}/   write as a customer`);
  say(`  console   ${addressOf(env, 'CONSOLE')}/   API: /api/docs, bearer token: ${token}`);
  say(`  webhook   ${addressOf(env, 'INGEST')}/webhooks/whatsapp`);
  say(`  data      ${postgres === null ? 'DATABASE_URL' : `${place} (Postgres on port ${postgres.port})`}`);
  say(`  logs      ${shown(join(place, 'logs'))}`);
  say('\nCtrl-C stops everything; the next start finds it again.');
}

/** The first signal asks for a stop. npm passes on a Ctrl-C that the terminal has sent us already: not a second one. */
function stopSignals() {
  let resolveFirst;
  const first = new Promise((resolve) => (resolveFirst = resolve));
  let at = null;
  const urgent = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (at !== null && Date.now() - at > 1_000) urgent.abort();
      at ??= Date.now();
      resolveFirst();
    });
  }
  return { first, any: () => at !== null, urgent: urgent.signal };
}
