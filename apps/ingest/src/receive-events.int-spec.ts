import { openDatabase, type Database } from '#inbox';
import type { RunningApp } from '#process';
import { eventually, testDatabase, testRedis, type TestDatabase } from '#testing';
import request from 'supertest';
import {
  addTheirAccount,
  bootIngest,
  change,
  envelope,
  LIMIT,
  OURS,
  post,
  SECRETS,
  sign,
  storedEvents,
  text,
  THEIRS,
} from '../specs/ingest-kit.js';

let database: TestDatabase;
let db: Database;
let app: RunningApp;
let second: RunningApp | undefined;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolMax: 3, applicationName: 'spec' });
  await addTheirAccount(db);
  app = await bootIngest(database.url, await testRedis());
  await ready(app);
});
beforeEach(() => db.pool.query('TRUNCATE event, event_variant'));
afterAll(async () => {
  await Promise.all([app, second].map((one) => one?.close()));
  await db.close();
  await database.drop();
});

const stored = () => storedEvents(db);
const metrics = async (of: RunningApp) => (await fetch(`${of.url}/metrics`)).text();

/** Events so far that were new, and copies, by the metrics of all of them. */
async function novelties(apps: RunningApp[]): Promise<{ fresh: number; copies: number }> {
  const pages = (await Promise.all(apps.map(metrics))).join('\n');
  const sum = (novelty: string) => {
    const lines = pages.matchAll(new RegExp(`events_total\\{[^}]*novelty="${novelty}"[^}]*\\} (\\d+)`, 'gm'));
    return [...lines].reduce((total, line) => total + Number(line[1]), 0);
  };
  return { fresh: sum('new'), copies: sum('duplicate') };
}

const ready = (of: RunningApp) => eventually(async () => (await fetch(`${of.url}/health/ready`)).ok);

describe('the handshake', () => {
  it('answers the bare challenge to the right token, and 403 to everything else', async () => {
    const ask = (query: Record<string, string>) => request(app.url).get('/webhooks/whatsapp').query(query);
    const right = { 'hub.mode': 'subscribe', 'hub.verify_token': 'verify-me', 'hub.challenge': '1158201444' };
    const answer = await ask(right);
    expect([answer.status, answer.text, answer.type]).toEqual([200, '1158201444', 'text/plain']);
    for (const wrong of [
      { ...right, 'hub.verify_token': 'verify-you' },
      { ...right, 'hub.verify_token': '' },
      { ...right, 'hub.mode': 'unsubscribe' },
      { 'hub.mode': 'subscribe', 'hub.verify_token': 'verify-me' },
      {},
    ]) {
      expect((await ask(wrong)).status).toBe(403);
    }
  });
});

describe('a webhook', () => {
  it('is stored, each event on its own key, and answered with an empty 200', async () => {
    const answer = await post(app, envelope(change(OURS, text('m1'), text('m2')), change(OURS, text('m3'))));
    expect([answer.status, answer.text]).toEqual([200, '']);
    const row = { key: `whatsapp:${OURS}`, kind: 'message', account: expect.any(String), outcome: null, reason: null };
    expect(await stored()).toEqual(['m1', 'm2', 'm3'].map((id) => ({ ...row, id })));
    await eventually(async () =>
      /wakeups_total\{[^}]*queue="events"[^}]*outcome="sent"[^}]*\} [1-9]/.test(await metrics(app)),
    );
  });

  it.each([
    ['no signature', () => null],
    ['the wrong secret', (body: string) => sign(body, 'guessed')],
    ['an empty secret', (body: string) => sign(body, '')],
    ['a signature of another body', () => sign('{}', SECRETS.ours)],
    ['a signature without its prefix', (body: string) => sign(body, SECRETS.ours).slice(7)],
    ['half a signature', (body: string) => sign(body, SECRETS.ours).slice(0, 40)],
    ['a signature by another hash', () => 'sha1=0123456789012345678901234567890123456789'],
    ['no hex at all', () => `sha256=${'z'.repeat(64)}`],
  ])('with %s is refused, and nothing is stored', async (_, signature) => {
    const body = envelope(change(OURS, text('m1')));
    expect((await post(app, body, signature(body))).status).toBe(403);
    expect(await stored()).toEqual([]);
  });

  it('is accepted under both secrets while they are rotated', async () => {
    for (const secret of [SECRETS.ours, SECRETS.before]) {
      const body = envelope(change(OURS, text(secret)));
      expect((await post(app, body, sign(body, secret))).status).toBe(200);
    }
    expect((await stored()).map(({ id, outcome }) => [id, outcome])).toEqual([
      [SECRETS.ours, null],
      [SECRETS.before, null],
    ]);
  });

  it('up to the limit is read, beyond it answered with 413', async () => {
    const empty = envelope(change(OURS, text('m1', '')));
    const full = envelope(change(OURS, text('m1', 'x'.repeat(LIMIT - empty.length))));
    expect(Buffer.byteLength(full)).toBe(LIMIT);
    expect((await post(app, full)).status).toBe(200);
    expect((await post(app, envelope(change(OURS, text('m2', 'x'.repeat(LIMIT)))))).status).toBe(413);
    expect((await stored()).map(({ id }) => id)).toEqual(['m1']);
  });

  it('for an account that nobody knows, or signed by another’s secret, is kept as ignored', async () => {
    const strange = envelope(change('999', text('stranger')), change(OURS, text('mine')));
    expect((await post(app, strange)).status).toBe(200);
    const mixed = envelope(change(OURS, text('forged')), change(THEIRS, text('theirs')));
    expect((await post(app, mixed, sign(mixed, SECRETS.theirs))).status).toBe(200);
    expect((await stored()).map(({ id, account, outcome, reason }) => [id, account !== null, outcome, reason])).toEqual(
      [
        ['forged', false, 'ignored', 'foreign-account'],
        ['mine', true, null, null],
        ['stranger', false, 'ignored', 'unknown-account'],
        ['theirs', true, null, null],
      ],
    );
  });

  it('of an account that was added a moment ago is that account’s', async () => {
    await db.pool.query(
      `INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
       VALUES (1, 'whatsapp:333', 'whatsapp', '333', 't', ARRAY[$1::text], 'http://127.0.0.1', 'v1')`,
      [SECRETS.ours],
    );
    await eventually(async () => {
      const body = envelope(change('333', text(`m${(await stored()).length}`)));
      await post(app, body);
      return (await stored()).some(({ outcome }) => outcome === null);
    });
  });

  it.each([
    ['no JSON', 'this is no JSON'],
    ['nothing', ''],
    ['a list', '[1, 2]'],
  ])('with a valid signature and %s in it is kept for a person, once', async (_, body) => {
    for (let n = 0; n < 2; n++) expect((await post(app, body)).status).toBe(200);
    const rows = await stored();
    expect(rows).toMatchObject([{ key: 'whatsapp', kind: 'unreadable', outcome: null }]);
    const { rows: raw } = await db.pool.query<{ raw: Buffer }>('SELECT raw FROM event');
    expect(raw[0]!.raw.toString()).toBe(body);
  });

  it('posted 20 times at once to two processes is one event, beside another of the same person', async () => {
    second = await bootIngest(database.url, await testRedis());
    const apps = [app, second];
    await ready(second);
    const before = await novelties(apps);
    const copy = envelope(change(OURS, text('m1')));
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => post(apps[n % 2]!, copy)),
      post(apps[0]!, envelope(change(OURS, text('m2')))),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(200));
    expect((await stored()).map(({ id }) => id)).toEqual(['m1', 'm2']);
    const after = await novelties(apps);
    expect([after.fresh - before.fresh, after.copies - before.copies]).toEqual([2, 19]);
  });

  it('shares its commit with all others in flight', async () => {
    const holding = await db.pool.connect();
    await holding.query('BEGIN; LOCK TABLE event');
    const bodies = Array.from({ length: 40 }, (_, n) => envelope(change(OURS, text(`m${n}`))));
    const answers = Promise.all(bodies.map((body) => post(app, body)));
    const server = app.app.getHttpServer();
    await eventually(
      () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count >= bodies.length))),
    );
    await holding.query('COMMIT');
    holding.release();
    expect((await answers).map(({ status }) => status)).toEqual(Array(40).fill(200));
    const { rows } = await db.pool.query<{ groups: number; events: number }>(
      'SELECT count(DISTINCT arrival_group)::int AS groups, count(*)::int AS events FROM event',
    );
    expect(rows[0]!.events).toBe(40);
    expect(rows[0]!.groups).toBeLessThan(20);
  });
});
