import { testDatabase, type TestDatabase } from '#testing';
import { openDatabase, type Database } from './database.js';
import { listReviews } from './list-reviews.js';
import { resolveReview, type PersonRules, type ReviewAction } from './resolve-review.js';

const HOUR = 3_600_000;
const rules: PersonRules = {
  policy: { windowMs: 20_000, maxWaitMs: 60_000 },
  limitsOf: () => ({ partLength: 4096, serviceWindowMs: 24 * HOUR }),
  takeoverMs: HOUR,
};

let database: TestDatabase;
let db: Database;
let of: string;

async function sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  return (await db.pool.query(text, values)).rows as T[];
}

async function id(text: string, values: unknown[] = []): Promise<string> {
  return String((await sql<{ id: string }>(text, values))[0]?.id);
}

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolMax: 5, applicationName: 'spec' });
  await sql(`INSERT INTO tenant (name) VALUES ('Salon')`);
  await sql(`INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
    VALUES (1, 'whatsapp:1', 'whatsapp', '1', 't', '{s}', 'http://127.0.0.1', 'v1')`);
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

let count = 0;
beforeEach(async () => {
  of = await id(
    `INSERT INTO conversation (account_id, lock_key, name, last_inbound_at) VALUES (1, $1, 'Anna', oneturn_now()) RETURNING id`,
    [`person:${++count}`],
  );
});

const batch = (state: string): Promise<string> =>
  id(
    `INSERT INTO batch (conversation_id, thread, state, first_at, last_at, due_at, holder, lease_until, finished_at)
     SELECT $1, 'main', $2, n, n, n + interval '20 s', CASE WHEN $2 = 'running' THEN 'w' END,
       CASE WHEN $2 = 'running' THEN n + interval '1 h' END, CASE WHEN $2 IN ('replied', 'review') THEN n END
     FROM oneturn_now() n RETURNING id`,
    [of, state],
  );

const said = (batchId: string | null, outcome: string | null): Promise<string> =>
  id(
    `INSERT INTO event (account_key, external_id, account_id, kind, arrived_at, arrival_process, arrival_group, arrival_index,
       content_hash, raw, conversation_id, thread, batch_id, routed_at, outcome)
     VALUES ('whatsapp:1', 'wamid.' || $1::text, 1, 'message', oneturn_now(), 'p', 1, 1, '', '', $2, 'main', $3, oneturn_now(), $4)
     RETURNING id`,
    [++count, of, batchId, outcome],
  );

const part = (batchId: string, index: number, state: string, reason: string | null = null): Promise<string> =>
  id(
    `INSERT INTO part (conversation_id, thread, batch_id, reply, index, author, text, state, reason, attempts, provider_id, created_at)
     VALUES ($1, 'main', $2::bigint, $2::bigint, $3, 'assistant', 'text', $4, $5, 1, CASE WHEN $4 = 'sent' THEN 'wamid' END, oneturn_now())
     RETURNING id`,
    [of, batchId, index, state, reason],
  );

const review = (reason: string, about: { batch?: string; part?: string; event?: string }): Promise<string> =>
  id(
    `INSERT INTO review (subject, reason, account_id, conversation_id, batch_id, part_id, event_id, opened_at)
     VALUES ($1, $2, 1, $3, $4, $5, $6, oneturn_now()) RETURNING id`,
    [JSON.stringify(about), reason, of, about.batch ?? null, about.part ?? null, about.event ?? null],
  );

const resolve = (reviewId: string, action: ReviewAction, text = '') =>
  resolveReview(db, reviewId, { action, text, by: 'Ben' }, rules);

const partStates = (): Promise<object[]> =>
  sql('SELECT state, reason FROM part WHERE conversation_id = $1 ORDER BY index', [of]);

describe('a case about messages', () => {
  it('retried: a new batch, due now, that names the old one and is not judged late again', async () => {
    const old = await batch('review');
    const messages = [await said(old, 'in_batch'), await said(old, 'in_batch')];
    const done = await resolve(await review('turn-failed', { batch: old }), 'retry');
    expect(done).toMatchObject({ kind: 'resolved', conversationId: of, batchIds: [expect.any(String)] });
    expect(
      await sql(
        `SELECT state, reason, replaces_id::text AS old, due_at <= oneturn_now() AS due FROM batch
        WHERE conversation_id = $1 AND state = 'collecting'`,
        [of],
      ),
    ).toEqual([{ state: 'collecting', reason: 'retried-by-person', old, due: true }]);
    expect(
      await sql(
        `SELECT e.id::text, e.outcome, b.replaces_id::text AS old FROM event e JOIN batch b ON b.id = e.batch_id
        WHERE e.conversation_id = $1 ORDER BY e.id`,
        [of],
      ),
    ).toEqual(messages.map((message) => ({ id: message, outcome: null, old })));
  });

  it('retried while a turn runs, or while a person has the conversation: refused, and the case stays open', async () => {
    const old = await batch('review');
    await said(old, 'in_batch');
    const asked = await review('assistant-asked', { batch: old });
    const running = await batch('running');
    expect(await resolve(asked, 'retry')).toMatchObject({ kind: 'refused', why: expect.stringContaining('under way') });
    await sql(`UPDATE batch SET state = 'silent', finished_at = oneturn_now() WHERE id = $1`, [running]);
    await sql('UPDATE conversation SET taken_over_at = oneturn_now() WHERE id = $1', [of]);
    expect(await resolve(asked, 'retry')).toMatchObject({ kind: 'refused', why: expect.stringContaining('Release') });
    const open = await listReviews(db, { state: 'open', conversationId: of }, 10, null);
    expect(open.items).toMatchObject([{ id: asked, contact: { name: 'Anna' } }]);
  });

  it('retried after part of the reply was sent: refused', async () => {
    const old = await batch('replied');
    await said(old, 'in_batch');
    await part(old, 0, 'sent');
    await part(old, 1, 'held', 'taken-over');
    expect(await resolve(await review('taken-over', { batch: old }), 'retry')).toMatchObject({ kind: 'refused' });
  });

  it('about one late message: it joins the batch that collects, whose window it leaves alone', async () => {
    const late = await said(null, 'review');
    const collecting = await batch('collecting');
    const done = await resolve(await review('late', { event: late }), 'retry');
    expect(done).toMatchObject({ kind: 'resolved', batchIds: [collecting] });
    expect(await sql('SELECT reason, due_at > oneturn_now() AS waits FROM batch WHERE id = $1', [collecting])).toEqual([
      { reason: 'retried-by-person', waits: true },
    ]);
  });
});

describe('a case about a part', () => {
  it('of unknown fate, retried: sent again with a warning, and what was held behind it follows', async () => {
    const replied = await batch('replied');
    const unknown = await part(replied, 0, 'unknown', 'in-review');
    await part(replied, 1, 'held', 'earlier-part');
    const done = await resolve(await review('unknown-send', { batch: replied, part: unknown }), 'retry');
    expect(done).toMatchObject({ kind: 'resolved', warning: expect.stringContaining('twice') });
    expect(await partStates()).toEqual(Array(2).fill({ state: 'pending', reason: null }));
  });

  it('that failed, retried: what reached the customer is not sent again, nor what a takeover held', async () => {
    const replied = await batch('replied');
    await part(replied, 0, 'sent');
    const failed = await part(replied, 1, 'failed');
    await part(replied, 2, 'held', 'taken-over');
    const done = await resolve(await review('send-failed', { batch: replied, part: failed }), 'retry');
    expect(done).toMatchObject({ kind: 'resolved', partIds: [failed], warning: null });
    expect(await partStates()).toMatchObject([{ state: 'sent' }, { state: 'pending' }, { state: 'held' }]);
  });

  it('whose window closed: retried only when the customer has written again', async () => {
    const replied = await batch('replied');
    const held = await part(replied, 0, 'held', 'window-closed');
    const closed = await review('window-closed', { batch: replied, part: held });
    await sql(`UPDATE conversation SET last_inbound_at = oneturn_now() - interval '25 h' WHERE id = $1`, [of]);
    expect(await resolve(closed, 'retry')).toMatchObject({ kind: 'refused', why: expect.stringContaining('window') });
    await sql('UPDATE conversation SET last_inbound_at = oneturn_now() WHERE id = $1', [of]);
    expect(await resolve(closed, 'retry')).toMatchObject({ kind: 'resolved', partIds: [held] });
  });

  it('settled in the meantime: nothing is sent a second time', async () => {
    const replied = await batch('replied');
    const delivered = await part(replied, 0, 'delivered');
    const asked = await review('unknown-send', { batch: replied, part: delivered });
    expect(await resolve(asked, 'retry')).toMatchObject({ kind: 'refused' });
    expect(await partStates()).toEqual([{ state: 'delivered', reason: null }]);
  });
});

describe('any case', () => {
  it('is answered by a person without taking the conversation over', async () => {
    const asked = await review('assistant-asked', { batch: await batch('review') });
    expect(await resolve(asked, 'reply', 'Yes, ten o\u2019clock.')).toMatchObject({ kind: 'resolved' });
    expect(await sql('SELECT author, operator, state FROM part WHERE conversation_id = $1', [of])).toEqual([
      { author: 'operator', operator: 'Ben', state: 'pending' },
    ]);
    expect(
      await sql('SELECT taken_over_at AS at, operator_at IS NOT NULL AS replied FROM conversation WHERE id = $1', [of]),
    ).toEqual([{ at: null, replied: true }]);
  });

  it('is resolved once, also when two people do it at the same moment', async () => {
    const asked = await review('two-copies', {});
    const both = await Promise.all([resolve(asked, 'dismiss'), resolve(asked, 'dismiss')]);
    expect(both.map((done) => done.kind).sort()).toEqual(['already-resolved', 'resolved']);
    expect(await resolve(asked, 'retry')).toEqual({ kind: 'already-resolved', by: 'Ben' });
    expect(await resolve('424242', 'dismiss')).toEqual({ kind: 'missing' });
  });
});
