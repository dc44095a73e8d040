import { connect, createServer, type Socket } from 'node:net';
import type { Pool } from 'pg';
import { createLogger, monotonicMs, readEnv } from '#process';
import { adminUrl, eventually, freePort, startOwnRedis, testDatabase, testRedis, withConnection } from '#testing';
import { chooseBackend } from './choose-backend.js';
import { checkConnectionBudget } from './connection-budget.js';
import { Consumers } from './consumers.js';
import { queuesForBoard } from './board-queues.js';
import { Wakeups, type WakeupOutcome } from './wakeups.js';
import { WindowJobs } from './window-jobs.js';

const lines: { msg: string; level: string }[] = [];
const log = createLogger('spec', 'info', { write: (line) => void lines.push(JSON.parse(line)) });

/** Everything a service has, on one backend. */
function service(source: NodeJS.ProcessEnv) {
  const backend = chooseBackend(readEnv(source), { consumes: 2, produces: 2 }, log);
  const outcomes: WakeupOutcome[] = [];
  const wakeups = new Wakeups(backend, ['turns'], log, (_name, outcome) => outcomes.push(outcome));
  const windows = new WindowJobs(backend, log);
  const consumers = new Consumers(backend, ['turns', 'windows'], log);
  const seen = { rings: 0, windows: 0 };
  consumers.consume('turns', () => void (seen.rings += 1));
  consumers.consume('windows', () => void (seen.windows += 1));
  consumers.start();
  /** How long the stop took, in ms. */
  const close = async () => {
    const start = monotonicMs();
    await Promise.all([consumers.stop(), wakeups.close(), windows.close()]);
    await backend.close();
    return monotonicMs() - start;
  };
  const ringUntil = (done: () => boolean) =>
    eventually(
      () => {
        wakeups.wake('turns');
        return done();
      },
      { timeoutMs: 20_000 },
    );
  return { backend, wakeups, windows, outcomes, seen, close, ringUntil };
}

/** Stands before a server and, once frozen, passes nothing on although every connection stays open. */
async function freezableProxy(target: string) {
  const { hostname, port, pathname } = new URL(target);
  const sockets: Socket[] = [];
  const server = createServer((inner) => {
    const outer = connect(Number(port), hostname);
    for (const socket of [inner, outer]) sockets.push(socket.on('error', () => undefined));
    inner.pipe(outer);
    outer.pipe(inner);
  });
  const own = await freePort();
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${own}${pathname}`,
    freeze: () => sockets.forEach((socket) => socket.unpipe().pause()),
    close: async () => {
      sockets.forEach((socket) => socket.destroy());
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

beforeEach(() => void lines.splice(0));

describe('a Redis that is not there', () => {
  it('costs nothing: wake-ups are dropped, windows unarmed, memory flat, one warning, a quick stop', async () => {
    const { wakeups, windows, outcomes, close } = service({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 100_000; count++) wakeups.wake('turns');
    const armed = await Promise.all(
      Array.from({ length: 10_000 }, (_v, n) => windows.armWindow(String(n), Date.now())),
    );
    expect(armed).not.toContain(true);
    await eventually(() => outcomes.length > 0);
    expect(new Set(outcomes)).toEqual(new Set(['dropped']));
    expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(30);
    await eventually(() => lines.some(({ msg }) => msg.includes('not reachable')));
    expect(await close()).toBeLessThan(5000);
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('is one that accepts and never answers', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const { wakeups, windows, outcomes, close } = service({ REDIS_URL: `redis://127.0.0.1:${port}` });
    await eventually(() => sockets.size > 0);
    wakeups.wake('turns');
    await eventually(() => outcomes.length > 0);
    expect(await windows.armWindow('1', Date.now())).toBe(false);
    expect(await close()).toBeLessThan(6000);
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('does not keep the board from starting', async () => {
    const env = readEnv({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    const board = await queuesForBoard(env, log);
    expect(board.queues.map((queue) => queue.name)).toEqual(['events', 'windows', 'turns', 'deliveries']);
    await board.close();
  });
});

it('a Redis that freezes while it is in use holds nobody up', async () => {
  const url = await testRedis();
  if (url === null) return;
  const proxy = await freezableProxy(url);
  const { wakeups, windows, seen, ringUntil, close } = service({ REDIS_URL: proxy.url });
  await ringUntil(() => seen.rings > 0);
  await eventually(() => windows.armWindow('1', Date.now() + 60_000));
  proxy.freeze();
  for (let count = 0; count < 1000; count++) wakeups.wake('turns');
  const start = monotonicMs();
  expect(await windows.armWindow('2', Date.now())).toBe(false);
  expect(monotonicMs() - start).toBeLessThan(1500);
  // From now on without even the second: the add before is still waiting.
  for (let count = 0; count < 100; count++) expect(await windows.armWindow('3', Date.now())).toBe(false);
  expect(monotonicMs() - start).toBeLessThan(1600);
  expect(await close()).toBeLessThan(6000);
  await proxy.close();
});

it('a Redis that dies and returns, empty, is used again', async () => {
  const redis = await startOwnRedis();
  if (!redis) return;
  const { seen, wakeups, windows, ringUntil, close } = service({ REDIS_URL: redis.url });
  await ringUntil(() => seen.rings > 0);
  await redis.kill();
  await eventually(() => lines.some(({ msg }) => msg.includes('not reachable')));
  expect(await windows.armWindow('1', Date.now())).toBe(false);
  for (let count = 0; count < 1000; count++) wakeups.wake('turns');

  await redis.restart();
  const before = seen.rings;
  await ringUntil(() => seen.rings > before);
  await eventually(() => windows.armWindow('2', Date.now()));
  await eventually(() => seen.windows > 0);
  await eventually(() => lines.some(({ msg }) => msg.includes('reachable again')));
  await redis.kill();
  expect(await close()).toBeLessThan(6000);
});

describe('on Postgres', () => {
  it('survives that every connection is cut', async () => {
    const database = await testDatabase();
    const { seen, windows, ringUntil, close } = service({ DATABASE_URL: database.url });
    await ringUntil(() => seen.rings > 0);
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`;
    await withConnection(adminUrl(), (client) => client.query(cut));
    const before = seen.rings;
    await ringUntil(() => seen.rings > before);
    await eventually(() => windows.armWindow('1', Date.now()));
    await eventually(() => seen.windows > 0);
    expect(lines.filter(({ level }) => level === 'warn').length).toBeLessThanOrEqual(2);
    await close();
    await database.drop();
  });

  it('survives connections that are reset at their first question, and is used afterwards', async () => {
    const database = await testDatabase();
    const target = new URL(database.url);
    const { hostname, port: behind } = target;
    let resets = 0;
    const proxy = createServer((inner) => {
      const outer = connect(Number(behind), hostname);
      for (const socket of [inner, outer]) socket.on('error', () => undefined);
      let said = 0;
      // The start-up passes; what a migration asks passes too; the library's own first question does not.
      inner.on('data', (data: Buffer) => {
        if (++said === 2 && backend.connected() && resets < 6) {
          resets += 1;
          inner.resetAndDestroy();
          outer.destroy();
        } else outer.write(data);
      });
      outer.on('data', (data: Buffer) => inner.write(data));
      inner.once('close', () => outer.destroy());
      outer.once('close', () => inner.destroy());
    });
    const port = await freePort();
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
    target.host = `127.0.0.1:${port}`;
    const { backend, seen, windows, ringUntil, close } = service({ DATABASE_URL: target.href });
    await eventually(() => resets >= 6);
    await ringUntil(() => seen.rings > 0);
    await eventually(() => windows.armWindow('1', Date.now()));
    await eventually(() => seen.windows > 0);
    await close();
    proxy.close();
    await database.drop();
  });

  it('hears the errors of connections that the library has lent out: unheard, one ends the process', async () => {
    const database = await testDatabase();
    const { backend, close } = service({ DATABASE_URL: database.url });
    await backend.prepare();
    const queue = backend.createQueue('events');
    const { pool } = (queue as unknown as { backend: { connection: { pool: Pool } } }).backend.connection;
    const lent = await pool.connect();
    expect(lent.listenerCount('error')).toBeGreaterThan(0);
    lent.release();
    await queue.close();
    await close();
    await database.drop();
  });

  it('begins when the database comes', async () => {
    const database = await testDatabase();
    const allow = (yes: boolean) =>
      withConnection(adminUrl(), (client) => client.query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS ${yes}`));
    await allow(false);
    const { seen, ringUntil, close } = service({ DATABASE_URL: database.url });
    await eventually(() => lines.some(({ msg }) => msg.includes('not reachable')));
    await allow(true);
    await ringUntil(() => seen.rings > 0);
    await close();
    await database.drop();
  });

  it('several services may start at once', async () => {
    const database = await testDatabase();
    const services = Array.from({ length: 4 }, () => service({ DATABASE_URL: database.url }));
    await Promise.all(services.map(({ backend }) => backend.prepare()));
    await Promise.all(services.map(({ close }) => close()));
    await database.drop();
  });

  it('says when the server has too few connections', async () => {
    const database = await testDatabase();
    await withConnection(database.url, (client) =>
      checkConnectionBudget(client, { consumes: 1, produces: 1 }, 10, log),
    );
    expect(lines).toEqual([]);
    await withConnection(database.url, (client) =>
      checkConnectionBudget(client, { consumes: 1, produces: 1 }, 1e6, log),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', msg: expect.stringContaining('max_connections') }),
    );
    await database.drop();
  });
});
