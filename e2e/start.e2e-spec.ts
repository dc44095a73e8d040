/** `npm start`: from the first message to Ctrl-C, and what becomes of it when any of its processes is killed. */
import { jest } from '@jest/globals';
import { eventually, startService } from '#testing';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childrenOf, isAlive, npmStart, postmasterOf, type Started } from './harness/started.js';

jest.setTimeout(120_000);

/** What a person at the phone is ready to wait, ms. */
const HALF_A_MINUTE = 30_000;
const PATIENCE = { timeoutMs: 45_000, everyMs: 100 };
const PHONE = '15550101234';
const ENV = { WINDOW_MS: '1500', MAX_WAIT_MS: '6000', SHUTDOWN_GRACE_MS: '2000' };

// Postgres runs as another user when this process is root.
const dataDir = mkdtempSync(join(tmpdir(), 'oneturn-start-'));
chmodSync(dataDir, 0o755);

let started: Started;
let addresses: Awaited<ReturnType<Started['ready']>>;

async function start(): Promise<void> {
  started = npmStart(dataDir, ENV);
  addresses = await started.ready();
}

afterAll(async () => {
  if (started && isAlive(started.pid)) await started.kill('SIGTERM');
  const postmaster = postmasterOf(dataDir);
  if (postmaster !== null) process.kill(postmaster, 'SIGQUIT');
  await eventually(() => postmasterOf(dataDir) === null, PATIENCE);
  rmSync(dataDir, { recursive: true, force: true });
}, 150_000);

async function control<T>(path: string, body?: object): Promise<T> {
  const response = await fetch(`${addresses.phone}/control/${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(`control/${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

const says = (...texts: string[]) =>
  texts.reduce<Promise<unknown>>(
    (before, text) => before.then(() => control('messages', { from: PHONE, name: 'Ada', text })),
    Promise.resolve(),
  );

/** What the phone shows from the business. The phone forgets when its process is killed. */
async function heard(): Promise<{ text: string; tick?: string }[]> {
  const chat = await control<{ entries: { direction: string; text: string; tick?: string }[] }>(`chats/${PHONE}`);
  return chat.entries.filter((entry) => entry.direction === 'out');
}

/** What the console shows of the customer, oldest first. */
async function conversation(): Promise<{ messages: { text: string }[]; batches: { state: string }[] }> {
  const token = readFileSync(join(dataDir, 'secrets', 'console-token'), 'utf8').trim();
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${addresses.console}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const { items } = await get<{ items: { id: string }[] }>(`/api/conversations?q=${PHONE}`);
  expect(items).toHaveLength(1);
  return get(`/api/conversations/${items[0]?.id}`);
}

/** Waits until that many messages are in, and every batch has its reply. */
const answered = (messages: number) =>
  eventually(async () => {
    const found = await conversation();
    expect(found.messages).toHaveLength(messages);
    expect(found.batches.map(({ state }) => state)).toEqual(found.batches.map(() => 'replied'));
    return true;
  }, PATIENCE);

describe('npm start', () => {
  it('prints the addresses and where the data lives, and answers a burst within half a minute', async () => {
    await start();
    expect(started.output()).toContain(dataDir);
    expect(addresses.webhook).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhooks\/whatsapp$/);
    await says('hi', 'quick question', 'do you have anything Saturday?');
    const reply = await eventually(
      async () => {
        const entries = await heard();
        return entries.length > 0 && entries.every((entry) => entry.tick === 'read') && entries;
      },
      { timeoutMs: HALF_A_MINUTE },
    );
    expect(reply.length).toBeGreaterThan(0);
    const { messages, batches } = await conversation();
    expect(messages.map(({ text }) => text)).toEqual(['hi', 'quick question', 'do you have anything Saturday?']);
    expect(batches.map(({ state }) => state)).toEqual(['replied']);
  });

  it('stops all cleanly on Ctrl-C', async () => {
    const children = Object.values(childrenOf(dataDir));
    expect(children).toHaveLength(2);
    expect(await started.kill('SIGINT')).toEqual({ code: 0, signal: null });
    expect(started.output()).toMatch(/stopped\n$/);
    expect(children.filter(isAlive)).toEqual([]);
    expect(postmasterOf(dataDir)).toBeNull();
  });

  it('finds everything again at the next start', async () => {
    await start();
    expect((await conversation()).messages).toHaveLength(3);
  });

  it('starts its children again when they are killed', async () => {
    const before = childrenOf(dataDir);
    for (const pid of Object.values(before)) process.kill(pid, 'SIGKILL');
    await eventually(
      () => Object.values(childrenOf(dataDir)).length === 2 && !isAlive(before['standalone'] ?? 0),
      PATIENCE,
    );
    await eventually(() => says('are you still there?').then(() => true), PATIENCE);
    await eventually(async () => (await heard()).length > 0, PATIENCE);
    await answered(4);
  });

  it('starts Postgres again when that is killed', async () => {
    const before = postmasterOf(dataDir);
    process.kill(before ?? 0, 'SIGKILL');
    await says('and now?');
    await answered(5);
    expect(postmasterOf(dataDir)).not.toBe(before);
  });

  it('killed itself: its children stop, Postgres stays, and the next start adopts it and all the data', async () => {
    const children = Object.values(childrenOf(dataDir));
    const postmaster = postmasterOf(dataDir);
    expect(children).toHaveLength(2);
    await started.kill('SIGKILL');
    await eventually(() => children.every((pid) => !isAlive(pid)), PATIENCE);
    expect(postmasterOf(dataDir)).toBe(postmaster);
    await start();
    expect(postmasterOf(dataDir)).toBe(postmaster);
    expect((await conversation()).messages).toHaveLength(5);
    expect((await started.kill('SIGINT')).code).toBe(0);
    expect(postmasterOf(dataDir)).toBeNull();
  });
});

describe('without npm start', () => {
  it('standalone brings its own Postgres, and takes it along when it stops', async () => {
    const standalone = await startService('standalone', { ...ENV, ONETURN_DATA_DIR: dataDir, NODE_ENV: 'production' });
    expect(postmasterOf(dataDir)).not.toBeNull();
    for (const service of ['ingest', 'batcher', 'responder', 'console'] as const) {
      expect((await fetch(`${standalone.urls[service]}/health/ready`)).status).toBe(200);
    }
    expect((await standalone.kill('SIGTERM')).code).toBe(0);
    expect(postmasterOf(dataDir)).toBeNull();
  });

  it.each(['ingest', 'batcher', 'responder', 'console'] as const)(
    'a lone %s refuses to start without DATABASE_URL, in one clear line',
    async (name) => {
      await expect(startService(name)).rejects.toThrow(/"code":1[^]*DATABASE_URL/);
    },
  );
});
