import { createHmac } from 'node:crypto';
import { openDatabase, type Database } from '#inbox';
import { bootApp, createLogger, readEnv, type RunningApp } from '#process';
import { adminUrl, eventually, testDatabase, testRedis, withConnection, type TestDatabase } from '#testing';
import request from 'supertest';
import { ingestApp } from './app.js';

const OURS = '106540352242922';
const THEIRS = '206540352242922';
const LIMIT = 64 * 1024;
const log = createLogger('spec', 'silent');

let database: TestDatabase;
let db: Database;
const running: RunningApp[] = [];

async function boot(more: Record<string, string> = {}): Promise<RunningApp> {
  const redis = await testRedis();
  const env = readEnv({
    DATABASE_URL: database.url,
    ...(redis === null ? {} : { REDIS_URL: redis }),
    INGEST_PORT: '0',
    BODY_LIMIT_BYTES: String(LIMIT),
    WHATSAPP_PHONE_NUMBER_ID: OURS,
    WHATSAPP_ACCESS_TOKEN: 'token',
    WHATSAPP_APP_SECRET: 'new-secret,old-secret',
    WHATSAPP_VERIFY_TOKEN: 'verify-me',
    ...more,
  });
  const app = await bootApp({ ...ingestApp(env), env, log });
  running.push(app);
  await eventually(async () => (await fetch(`${app.url}/health/ready`)).ok);
  return app;
}

beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolMax: 3, applicationName: 'spec' });
  await db.pool.query(`INSERT INTO tenant (name) VALUES ('Other')`);
  await db.pool.query(
    `INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
     VALUES (1, 'whatsapp:' || $1::text, 'whatsapp', $1::text, 't', '{their-secret}', 'http://127.0.0.1', 'v1')`,
    [THEIRS],
  );
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
  await db.close();
  await database.drop();
});

const text = (id: string, body = 'hi') => ({
  id,
  from: '15550100001',
  timestamp: '1796000000',
  type: 'text',
  text: { body },
});
const change = (phoneNumberId: string, ...messages: object[]) => ({
  field: 'messages',
  value: { messaging_product: 'whatsapp', metadata: { phone_number_id: phoneNumberId }, messages },
});
const envelope = (...changes: object[]) =>
  JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: 'waba', changes }] });

const sign = (body: string, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const post = (app: RunningApp, body: string, signature: string | null = sign(body, 'new-secret')) => {
  const posted = request(app.url).post('/webhooks/whatsapp').set('content-type', 'application/json');
  if (signature !== null) void posted.set('x-hub-signature-256', signature);
  return posted.send(body);
};

interface StoredRow {
  key: string;
  id: string;
  kind: string;
  account: string | null;
  outcome: string | null;
  reason: string | null;
}
const stored = async (): Promise<StoredRow[]> =>
  (
    await db.pool.query<StoredRow>(
      `SELECT account_key AS key, external_id AS id, kind, account_id::text AS account, outcome, reason FROM event ORDER BY external_id`,
    )
  ).rows;

describe('the handshake', () => {
  it('answers the bare challenge to the right token, and 403 to everything else', async () => {
    const app = await boot();
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
    const app = await boot();
    const answer = await post(app, envelope(change(OURS, text('m1'), text('m2')), change(OURS, text('m3'))));
    expect([answer.status, answer.text]).toEqual([200, '']);
    const row = { key: `whatsapp:${OURS}`, kind: 'message', account: expect.any(String), outcome: null, reason: null };
    expect(await stored()).toEqual(['m1', 'm2', 'm3'].map((id) => ({ ...row, id })));
    await eventually(async () =>
      /wakeups_total\{[^}]*queue="events"[^}]*outcome="sent"[^}]*\} [1-9]/.test(
        await (await fetch(`${app.url}/metrics`)).text(),
      ),
    );
  });

  it.each([
    ['no signature', () => null],
    ['the wrong secret', (body: string) => sign(body, 'guessed')],
    ['an empty secret', (body: string) => sign(body, '')],
    ['a signature of another body', () => sign('{}', 'new-secret')],
    ['a signature without its prefix', (body: string) => sign(body, 'new-secret').slice(7)],
    ['half a signature', (body: string) => sign(body, 'new-secret').slice(0, 40)],
    ['a signature by another hash', () => 'sha1=0123456789012345678901234567890123456789'],
    ['no hex at all', () => `sha256=${'z'.repeat(64)}`],
  ])('with %s is refused, and nothing is stored', async (_, signature) => {
    const app = await boot();
    const body = envelope(change(OURS, text('m1')));
    expect((await post(app, body, signature(body))).status).toBe(403);
    expect(await stored()).toEqual([]);
  });

  it('is accepted under both secrets while they are rotated', async () => {
    const app = await boot();
    for (const secret of ['new-secret', 'old-secret']) {
      const body = envelope(change(OURS, text(secret)));
      expect((await post(app, body, sign(body, secret))).status).toBe(200);
    }
    expect((await stored()).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['new-secret', null],
      ['old-secret', null],
    ]);
  });

  it('up to the limit is read, beyond it answered with 413', async () => {
    const app = await boot();
    const empty = envelope(change(OURS, text('m1', '')));
    const full = envelope(change(OURS, text('m1', 'x'.repeat(LIMIT - empty.length))));
    expect(Buffer.byteLength(full)).toBe(LIMIT);
    expect((await post(app, full)).status).toBe(200);
    expect((await post(app, envelope(change(OURS, text('m2', 'x'.repeat(LIMIT)))))).status).toBe(413);
    expect((await stored()).map(({ id }) => id)).toEqual(['m1']);
  });

  it('for an account that nobody knows, or signed by another’s secret, is kept as ignored', async () => {
    const app = await boot();
    const strange = envelope(change('999', text('stranger')), change(OURS, text('mine')));
    expect((await post(app, strange)).status).toBe(200);
    const mixed = envelope(change(OURS, text('forged')), change(THEIRS, text('theirs')));
    expect((await post(app, mixed, sign(mixed, 'their-secret'))).status).toBe(200);
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
    const app = await boot();
    await db.pool.query(`UPDATE account SET app_secrets = '{new-secret}' WHERE external_id = $1`, [THEIRS]);
    await db.pool
      .query(`INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
      VALUES (1, 'whatsapp:333', 'whatsapp', '333', 't', '{new-secret}', 'http://127.0.0.1', 'v1')`);
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
    const app = await boot();
    for (let n = 0; n < 2; n++) expect((await post(app, body)).status).toBe(200);
    const rows = await stored();
    expect(rows).toMatchObject([{ key: 'whatsapp', kind: 'unreadable', outcome: null }]);
    const { rows: raw } = await db.pool.query<{ raw: Buffer }>('SELECT raw FROM event');
    expect(raw[0]!.raw.toString()).toBe(body);
  });

  it('posted 20 times at once to two processes is one event, beside another of the same person', async () => {
    const apps = [await boot(), await boot()];
    const copy = envelope(change(OURS, text('m1')));
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => post(apps[n % 2]!, copy)),
      post(apps[0]!, envelope(change(OURS, text('m2')))),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(200));
    expect((await stored()).map(({ id }) => id)).toEqual(['m1', 'm2']);
    const metrics = await Promise.all(apps.map(async (app) => (await fetch(`${app.url}/metrics`)).text()));
    const count = (novelty: string) =>
      metrics
        .map((page) =>
          Number(new RegExp(`events_total\\{[^}]*novelty="${novelty}"[^}]*\\} (\\d+)`).exec(page)?.[1] ?? 0),
        )
        .reduce((sum, one) => sum + one);
    expect([count('new'), count('duplicate')]).toEqual([2, 19]);
  });

  it('shares its commit with all others in flight', async () => {
    const app = await boot();
    const bodies = Array.from({ length: 60 }, (_, n) => envelope(change(OURS, text(`m${n}`))));
    const answers = await Promise.all(bodies.map((body) => post(app, body)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const { rows } = await db.pool.query<{ groups: number; events: number }>(
      'SELECT count(DISTINCT arrival_group)::int AS groups, count(*)::int AS events FROM event',
    );
    expect(rows[0]!.events).toBe(60);
    expect(rows[0]!.groups).toBeLessThan(30);
  });
});

describe('when it cannot store', () => {
  it('too many in flight: 503 with Retry-After, and the one before is stored', async () => {
    const app = await boot({ MAX_IN_FLIGHT: '1' });
    const other = await db.pool.connect();
    await other.query('BEGIN; LOCK TABLE event');
    const first = post(app, envelope(change(OURS, text('m1')))).then((answer) => answer);
    await eventually(async () => {
      const waiting = await db.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.rowCount === 1;
    });
    const second = await post(app, envelope(change(OURS, text('m2'))));
    expect([second.status, second.headers['retry-after']]).toEqual([503, '5']);
    await other.query('COMMIT');
    other.release();
    expect((await first).status).toBe(200);
    expect((await stored()).map(({ id }) => id)).toEqual(['m1']);
  });

  it('Postgres is away: 503 with Retry-After; the channel’s next try is stored once', async () => {
    const app = await boot();
    const body = envelope(change(OURS, text('m1')));
    const admin = (statement: string) => withConnection(adminUrl(), (client) => client.query(statement));
    await db.close();
    await admin(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS false`);
    await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`);
    for (let n = 0; n < 3; n++) {
      const answer = await post(app, body);
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    }
    // Who knows no secret learns nothing of the outage.
    expect((await post(app, body, 'sha256=00')).status).toBe(403);
    await admin(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS true`);
    await eventually(async () => (await post(app, body)).status === 200);
    db = openDatabase({ url: database.url, poolMax: 3, applicationName: 'spec' });
    expect((await stored()).map(({ id }) => id)).toEqual(['m1']);
  });

  it('a lost Redis changes nothing', async () => {
    const app = await boot({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect((await post(app, envelope(change(OURS, text('m1'))))).status).toBe(200);
    expect(await stored()).toHaveLength(1);
  });
});
