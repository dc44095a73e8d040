import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { announceReviews } from './announce-reviews.js';
import { auditRows, countUnaccounted } from './audit-rows.js';
import { openDatabase, type Database } from './database.js';
import type { DueAlert } from './due-alerts.js';
import { readLedger } from './read-ledger.js';

const HOUR = 3_600_000;
const rules = { maxWaitMs: 60_000, unknownWaitMs: 30_000 };

let database: TestDatabase;
let db: Database;

const sql = (text: string): Promise<unknown> => db.pool.query(text);

beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolMax: 4, applicationName: 'spec' });
  await sql(`
    INSERT INTO tenant (name) VALUES ('Salon');
    INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
      VALUES (1, 'whatsapp:1', 'whatsapp', '1', 't', '{s}', 'http://127.0.0.1', 'v1');
    INSERT INTO conversation (account_id, lock_key, name) SELECT 1, 'person:' || n, 'Anna' FROM generate_series(1, 9) n;`);
});

afterEach(async () => {
  await db.close();
  await database.drop();
});

const event = (id: number, columns: string, values: string): string =>
  `INSERT INTO event (id, account_key, external_id, kind, arrived_at, arrival_process, arrival_group, arrival_index, content_hash,
     raw, ${columns}) VALUES (${id}, 'whatsapp:1', 'e${id}', 'message', now(), 'p', 1, 1, '', '', ${values});`;
const batch = (id: number, of: number, state: string, columns = '', values = ''): string =>
  `INSERT INTO batch (id, conversation_id, thread, state, first_at, last_at, due_at ${columns})
     VALUES (${id}, ${of}, 'main', '${state}', now(), now(), now() ${values});`;
const part = (id: number, of: number, state: string, columns = '', values = ''): string =>
  `INSERT INTO part (id, conversation_id, thread, reply, index, author, text, state, created_at ${columns})
     VALUES (${id}, ${of}, 'main', ${id}, 0, 'assistant', 'text', '${state}', now() ${values});`;

/** One row of every open kind, each where it may be for a while. */
const everythingOpen = [
  event(1, 'routed_at', 'NULL'),
  batch(1, 1, 'collecting'),
  event(2, 'routed_at, batch_id', 'now(), 1'),
  batch(2, 2, 'running', ', holder, lease_until', `, 'w', now()`),
  event(3, 'routed_at, outcome, batch_id', `now(), 'in_batch', 2`),
  batch(3, 3, 'retry_wait', ', next_attempt_at', ', now()'),
  event(4, 'routed_at', 'now()'),
  `INSERT INTO parked_status VALUES (4, 'whatsapp:1', 'wamid', now());`,
  part(1, 4, 'pending', ', next_attempt_at', ', now()'),
  part(2, 5, 'sending', ', holder, lease_until', `, 'w', now()`),
  part(3, 6, 'unknown', ', unknown_at', ', now()'),
  `UPDATE conversation SET taken_over_at = now(), takeover_until = now() WHERE id = 9;`,
].join('\n');

test('everything that is still on its way is accounted for, and forgotten once its time is over', async () => {
  await sql(everythingOpen);
  const fresh = await readLedger(db, rules);
  expect(fresh).toMatchObject({
    events: { routing: 1, batch: 1, status: 1, in_batch: 1, review: 0 },
    batches: { collecting: 1, running: 1, retry_wait: 1, replied: 0 },
    parts: { pending: 1, sending: 1, unknown: 1, read: 0 },
    waiting: { routing: 1, turn: 1, window: 0, retry: 1, lease: 1, delivery: 2, evidence: 1, status: 1, person: 0 },
    unaccounted: 0,
  });
  await shiftDatabaseClock(database.url, 26 * HOUR);
  const rows = await auditRows(db.prisma, rules, 100);
  expect(rows.map(({ kind, id, why }) => `${kind} ${id} ${why}`).sort()).toEqual([
    'batch 1 due, and no turn has claimed it',
    'batch 2 running under a lease that lapsed',
    'batch 3 its next attempt is overdue',
    'conversation 9 the time of its takeover is over',
    'event 1 not routed',
    'event 4 a status parked for too long',
    'part 1 not sent although nothing holds it back',
    'part 2 being sent under a lease that lapsed',
    'part 3 of unknown fate, and nobody was asked',
  ]);
  expect(await countUnaccounted(db.prisma, rules, 'overdue')).toBe(9);
});

test('what waits for something else, or for a person, is not forgotten', async () => {
  await sql(
    [
      batch(1, 1, 'collecting'),
      part(1, 1, 'unknown', ', unknown_at, reason', `, now(), 'in-review'`),
      part(2, 1, 'pending', ', next_attempt_at', ', now()'),
      'UPDATE account SET paused_at = now();',
      batch(2, 2, 'collecting'),
      `UPDATE conversation SET taken_over_at = now(), takeover_until = now() + interval '9 days' WHERE id = 2;`,
      batch(3, 3, 'review', ', finished_at', ', now()'),
      event(1, 'routed_at, outcome, batch_id', `now(), 'review', 3`),
      `INSERT INTO review (subject, reason, batch_id, opened_at) VALUES ('batch:3', 'late', 3, now());`,
    ].join('\n'),
  );
  await shiftDatabaseClock(database.url, 26 * HOUR);
  expect(await auditRows(db.prisma, rules, 100)).toEqual([]);
});

test('rows that contradict each other are found', async () => {
  await sql(
    [
      event(1, 'routed_at, outcome, batch_id', `now(), 'in_batch', 99`),
      batch(1, 1, 'replied', ', finished_at', ', now()'),
      batch(2, 2, 'review', ', finished_at', ', now()'),
      event(2, 'routed_at, outcome', `now(), 'review'`),
      event(3, 'routed_at, batch_id', `now(), 1`),
    ].join('\n'),
  );
  const rows = await auditRows(db.prisma, rules, 100);
  expect(rows.map(({ kind, id, why }) => `${kind} ${id} ${why}`).sort()).toEqual([
    'batch 1 replied without a part',
    'batch 2 for review, and there is no case',
    'event 1 in a batch that does not exist',
    'event 2 for review, and there is no case',
    'event 3 routed, but neither in an open batch nor parked',
  ]);
});

test('a new case is told once, one that stays open again after the limit, and one that was not taken stays due', async () => {
  await sql(`INSERT INTO review (subject, reason, conversation_id, opened_at) VALUES ('batch:1', 'late', 1, now());`);
  const heard: DueAlert[] = [];
  const pass = (accept = true) =>
    announceReviews(db, {
      limit: 10,
      stillOpenMs: HOUR,
      goOn: () => true,
      tell: (alert) => {
        heard.push(alert);
        return Promise.resolve(accept);
      },
    });
  expect(await pass(false)).toEqual({ told: 0, failed: true });
  expect(await pass()).toEqual({ told: 1, failed: false });
  expect(await pass()).toEqual({ told: 0, failed: false });
  expect(heard).toMatchObject(Array(2).fill({ kind: 'review-opened', reason: 'late', contact: 'Anna' }));
  await shiftDatabaseClock(database.url, 1.5 * HOUR);
  expect(await pass()).toEqual({ told: 1, failed: false });
  await shiftDatabaseClock(database.url, 20 * HOUR);
  expect(await pass()).toEqual({ told: 0, failed: false });
  await shiftDatabaseClock(database.url, 26 * HOUR);
  expect(await pass()).toEqual({ told: 1, failed: false });
  expect(heard.at(-1)).toMatchObject({ kind: 'review-still-open' });
});

test('two processes do not announce at the same time', async () => {
  await sql(`INSERT INTO review (subject, reason, opened_at) VALUES ('event:1', 'unreadable', now());`);
  const options = { limit: 10, stillOpenMs: HOUR, goOn: () => true };
  let inner: unknown = 'not asked';
  await announceReviews(db, {
    ...options,
    tell: async () => {
      inner = await announceReviews(db, { ...options, tell: () => Promise.resolve(true) });
      return true;
    },
  });
  expect(inner).toBeNull();
});
