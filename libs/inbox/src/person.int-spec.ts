import { testDatabase, type TestDatabase } from '#testing';
import { openDatabase, type Database } from './database.js';
import { endTakeovers } from './end-takeovers.js';
import { operatorMessage } from './operator-message.js';
import { readTimeline } from './read-timeline.js';
import { release } from './release.js';
import { takeOver } from './take-over.js';

const HOUR = 3_600_000;
const policy = { windowMs: 20_000, maxWaitMs: 60_000 };
const limits = () => ({ partLength: 40, serviceWindowMs: 24 * HOUR });

let database: TestDatabase;
let db: Database;
let account: string;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolMax: 5, applicationName: 'spec' });
  await sql(`INSERT INTO tenant (name) VALUES ('Salon')`);
  account =
    await id(`INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
    VALUES (1, 'whatsapp:1', 'whatsapp', '1', 't', '{s}', 'http://127.0.0.1', 'v1') RETURNING id`);
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

async function sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  return (await db.pool.query(text, values)).rows as T[];
}

async function id(text: string, values: unknown[] = []): Promise<string> {
  return String((await sql<{ id: string }>(text, values))[0]?.id);
}

let count = 0;
const conversation = (): Promise<string> =>
  id(
    `INSERT INTO conversation (account_id, lock_key, name, last_inbound_at) VALUES ($1, $2, 'Anna', oneturn_now()) RETURNING id`,
    [account, `person:${++count}`],
  );

const batch = (of: string, state: string): Promise<string> =>
  id(
    `INSERT INTO batch (conversation_id, thread, state, first_at, last_at, due_at, holder, lease_until, next_attempt_at, fence, finished_at)
     SELECT $1, 'main', $2, n, n, n, CASE WHEN $2 = 'running' THEN 'w' END, CASE WHEN $2 = 'running' THEN n + interval '1 h' END,
       CASE WHEN $2 = 'retry_wait' THEN n END, 3, CASE WHEN $2 IN ('replied', 'review', 'human', 'silent') THEN n END
     FROM oneturn_now() n RETURNING id`,
    [of, state],
  );

const said = (of: string, text: string, batchId: string | null, outcome: string | null): Promise<string> =>
  id(
    `INSERT INTO event (account_key, external_id, account_id, kind, arrived_at, arrival_process, arrival_group, arrival_index,
       content_hash, raw, parsed, conversation_id, thread, batch_id, routed_at, outcome)
     VALUES ('whatsapp:1', 'wamid.' || $1, $2, 'message', oneturn_now(), 'p', 1, 1, '', '', $3, $4, 'main', $5, oneturn_now(), $6)
     RETURNING id`,
    [++count, account, { kind: 'message', speech: { type: 'text', text } }, of, batchId, outcome],
  );

const part = (of: string, batchId: string, index: number, state: string): Promise<string> =>
  id(
    `INSERT INTO part (conversation_id, thread, batch_id, reply, index, author, text, state, next_attempt_at, provider_id, created_at)
     VALUES ($1, 'main', $2::bigint, nextval('reply_order'), $3::int, 'assistant', 'text ' || $3::int, $4, oneturn_now(),
       CASE WHEN $4 = 'sent' THEN 'wamid.' || $2::bigint END, oneturn_now())
     RETURNING id`,
    [of, batchId, index, state],
  );

const states = (table: string, ids: string[]): Promise<object[]> =>
  sql(`SELECT state, reason FROM ${table} WHERE id = ANY($1::bigint[]) ORDER BY id`, [ids]);

describe('taking over', () => {
  it('in the window: closes the batch as human, and the messages with it', async () => {
    const of = await conversation();
    const collecting = await batch(of, 'collecting');
    const hi = await said(of, 'hi', collecting, null);
    expect(await takeOver(db, of, 'Ben', HOUR)).toMatchObject({ kind: 'taken-over', conversationId: of, reviews: [] });
    expect(await states('batch', [collecting])).toEqual([{ state: 'human', reason: 'taken-over' }]);
    expect(await sql('SELECT outcome FROM event WHERE id = $1', [hi])).toEqual([{ outcome: 'human' }]);
  });

  it('during the turn: takes the fence from the holder and ends the turn', async () => {
    const of = await conversation();
    const running = await batch(of, 'running');
    await sql(`INSERT INTO turn (batch_id, attempt, fence, holder, started_at) VALUES ($1, 1, 3, 'w', oneturn_now())`, [
      running,
    ]);
    await takeOver(db, of, 'Ben', HOUR);
    expect(await sql('SELECT state, fence, holder FROM batch WHERE id = $1', [running])).toEqual([
      { state: 'human', fence: '4', holder: null },
    ]);
    expect(await sql('SELECT outcome, ended_at IS NULL AS open FROM turn WHERE batch_id = $1', [running])).toEqual([
      { outcome: 'taken-over', open: false },
    ]);
  });

  it('between two parts: holds the rest and keeps it as the draft of one case', async () => {
    const of = await conversation();
    const replied = await batch(of, 'replied');
    const parts = [
      await part(of, replied, 0, 'sent'),
      await part(of, replied, 1, 'pending'),
      await part(of, replied, 2, 'pending'),
    ];
    const taken = await takeOver(db, of, 'Ben', HOUR);
    expect(taken).toMatchObject({ reviews: [{ subject: `batch:${replied}`, reason: 'taken-over' }] });
    expect((await states('part', parts)).slice(1)).toEqual(Array(2).fill({ state: 'held', reason: 'taken-over' }));
    expect(await sql('SELECT detail, draft FROM review WHERE conversation_id = $1', [of])).toEqual([
      { detail: '1 of 3 parts were sent', draft: 'text 1\n\ntext 2' },
    ]);
  });

  it('again: extends the time and opens nothing', async () => {
    const of = await conversation();
    await takeOver(db, of, 'Ben', HOUR);
    const again = await takeOver(db, of, 'Cleo', 2 * HOUR);
    expect(again).toMatchObject({ reviews: [] });
    const [row] = await sql<{ by: string; minutes: number }>(
      `SELECT taken_over_by AS by, extract(epoch FROM takeover_until - oneturn_now())::int / 60 AS minutes FROM conversation WHERE id = $1`,
      [of],
    );
    expect(row?.by).toBe('Cleo');
    expect(row?.minutes).toBeGreaterThan(110);
  });

  it('says so when there is no such conversation', async () => {
    expect(await takeOver(db, '999999', 'Ben', HOUR)).toEqual({ kind: 'missing' });
    expect(await takeOver(db, 'abc', 'Ben', HOUR)).toEqual({ kind: 'missing' });
  });

  it('stops a turn that still runs under a merged identity', async () => {
    const of = await conversation();
    const ended = await conversation();
    await sql('UPDATE conversation SET merged_into_id = $1 WHERE id = $2', [of, ended]);
    const running = await batch(ended, 'running');
    expect(await takeOver(db, ended, 'Ben', HOUR)).toMatchObject({ conversationId: of });
    expect(await states('batch', [running])).toEqual([{ state: 'human', reason: 'taken-over' }]);
  });
});

describe('releasing', () => {
  it('gives back what nobody answered since the last reply, as one batch', async () => {
    const of = await conversation();
    const running = await batch(of, 'running');
    const before = await said(of, 'answered by Ben', running, 'in_batch');
    await operatorMessage(db, { conversationId: of, text: 'Hello', by: 'Ben', takeoverMs: HOUR }, limits);
    await sql(`UPDATE conversation SET operator_at = oneturn_now() - interval '1 ms' WHERE id = $1`, [of]);
    await sql(`UPDATE event SET arrived_at = arrived_at - interval '1 minute' WHERE id = $1`, [before]);
    const after = [await said(of, 'and Sunday?', null, 'human'), await said(of, 'or Monday?', null, 'human')];
    const released = await release(db, of, policy);
    expect(released).toMatchObject({ kind: 'released', batchIds: [expect.any(String)] });
    const given = await sql<{ id: string; batch: string }>(
      `SELECT id::text, batch_id::text AS batch FROM event WHERE conversation_id = $1 AND outcome IS NULL ORDER BY id`,
      [of],
    );
    expect(given.map((row) => row.id)).toEqual(after);
    expect(new Set(given.map((row) => row.batch)).size).toBe(1);
    expect(await release(db, of, policy)).toEqual({ kind: 'not-taken-over' });
  });

  it('counts a message from the phone of the business as the last reply', async () => {
    const of = await conversation();
    await takeOver(db, of, 'phone', HOUR);
    await said(of, 'a question', null, 'human');
    await sql(`UPDATE event SET arrived_at = arrived_at - interval '1 minute' WHERE conversation_id = $1`, [of]);
    await said(of, 'the answer', null, 'applied');
    await sql(`UPDATE event SET kind = 'echo' WHERE conversation_id = $1 AND outcome = 'applied'`, [of]);
    expect(await release(db, of, policy)).toMatchObject({ kind: 'released', batchIds: [] });
  });

  it('happens by itself when the time is over, and held parts stay drafts', async () => {
    const of = await conversation();
    const replied = await batch(of, 'replied');
    const held = await part(of, replied, 0, 'pending');
    await takeOver(db, of, 'Ben', HOUR);
    const waiting = await said(of, 'hello?', null, 'human');
    expect(await endTakeovers(db, policy)).toEqual([]);
    await sql(`UPDATE conversation SET takeover_until = oneturn_now() WHERE id = $1`, [of]);
    const ended = await endTakeovers(db, policy);
    expect(ended).toEqual([{ conversationId: of, batchIds: [expect.any(String)] }]);
    expect(await sql('SELECT batch_id::text AS batch FROM event WHERE id = $1', [waiting])).toEqual([
      { batch: ended[0]?.batchIds[0] },
    ]);
    expect(await states('part', [held])).toEqual([{ state: 'held', reason: 'taken-over' }]);
  });
});

describe('a message of the person', () => {
  it('goes into the outbox in parts, in order, and takes the conversation over', async () => {
    const of = await conversation();
    const collecting = await batch(of, 'collecting');
    const text = 'We have room on Saturday.\n\nShall I hold ten o\u2019clock for you?';
    const written = await operatorMessage(db, { conversationId: of, text, by: 'Ben', takeoverMs: HOUR }, limits);
    expect(written).toMatchObject({ kind: 'queued', partIds: [expect.any(String), expect.any(String)] });
    expect(
      await sql('SELECT text, index, author, operator, state FROM part WHERE conversation_id = $1 ORDER BY index', [
        of,
      ]),
    ).toEqual([
      { text: 'We have room on Saturday.', index: 0, author: 'operator', operator: 'Ben', state: 'pending' },
      {
        text: 'Shall I hold ten o\u2019clock for you?',
        index: 1,
        author: 'operator',
        operator: 'Ben',
        state: 'pending',
      },
    ]);
    expect(await states('batch', [collecting])).toEqual([{ state: 'human', reason: 'taken-over' }]);
    const timeline = await readTimeline(db, of, 50, null);
    expect(timeline).toMatchObject({ conversation: { takeover: { by: 'Ben' } }, parts: [{ index: 0 }, { index: 1 }] });
  });

  it('is refused when the service window is closed, and changes nothing', async () => {
    const of = await conversation();
    await sql(`UPDATE conversation SET last_inbound_at = oneturn_now() - interval '24 h' WHERE id = $1`, [of]);
    const message = { conversationId: of, text: 'Hello', by: 'Ben', takeoverMs: HOUR };
    expect(await operatorMessage(db, message, limits)).toEqual({ kind: 'window-closed' });
    expect(await operatorMessage(db, message, () => null)).toEqual({ kind: 'no-channel' });
    expect(
      await sql('SELECT taken_over_at AS at, operator_at AS replied FROM conversation WHERE id = $1', [of]),
    ).toEqual([{ at: null, replied: null }]);
  });
});
