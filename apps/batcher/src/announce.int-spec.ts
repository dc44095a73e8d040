import { openDatabase, type Database } from '#inbox';
import { createLogger } from '#process';
import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { announce } from './announce.js';

const env = {
  ALERT_WEBHOOK_URL: 'http://alerts.example/oneturn',
  ALERT_AFTER_MS: 900_000,
  MAX_WAIT_MS: 60_000,
  UNKNOWN_WAIT_MS: 30_000,
};
const log = createLogger('spec', 'silent');

let database: TestDatabase;
let db: Database;
let posted: Record<string, unknown>[];

/** A receiver that answers with `status`. */
const receiver =
  (status: number): typeof fetch =>
  (_url, init) => {
    posted.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
    return Promise.resolve(new Response(null, { status }));
  };

beforeEach(async () => {
  posted = [];
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolMax: 4, applicationName: 'spec' });
  await db.pool.query(
    `INSERT INTO review (subject, reason, detail, opened_at) VALUES ('event:1', 'unreadable', 'why', now())`,
  );
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

const untold = async (): Promise<unknown> =>
  (await db.pool.query('SELECT count(*)::int AS count FROM review WHERE alerted_at IS NULL')).rows[0];

it('tells the receiver once of each case', async () => {
  await announce(db, { env, log, fetch: receiver(204) });
  await announce(db, { env, log, fetch: receiver(204) });
  expect(posted).toEqual([
    {
      kind: 'review-opened',
      id: '1',
      reason: 'unreadable',
      conversationId: null,
      contact: null,
      openedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      detail: 'why',
    },
  ]);
});

it('keeps what was refused, and does not hammer a receiver that is down', async () => {
  await announce(db, { env, log, fetch: receiver(500) });
  await announce(db, { env, log, fetch: receiver(204) });
  expect(posted).toHaveLength(1);
  expect(await untold()).toEqual({ count: 1 });
});

it('speaks of forgotten rows once an hour at most', async () => {
  await db.pool.query(`INSERT INTO event (account_key, external_id, kind, arrived_at, arrival_process, arrival_group,
    arrival_index, content_hash, raw) VALUES ('whatsapp:1', 'a', 'message', now(), 'p', 1, 1, '', '')`);
  await shiftDatabaseClock(database.url, 120_000);
  await announce(db, { env, log, fetch: receiver(204) });
  await announce(db, { env, log, fetch: receiver(204) });
  expect(posted.filter((body) => body['kind'] === 'unaccounted')).toEqual([{ kind: 'unaccounted', count: 1 }]);
});

it('without a receiver leaves it to the log and keeps no backlog', async () => {
  const { ALERT_WEBHOOK_URL: _url, ...none } = env;
  await announce(db, { env: none, log, fetch: receiver(204) });
  expect(posted).toEqual([]);
  expect(await untold()).toEqual({ count: 0 });
});
