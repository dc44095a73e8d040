import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { accepted, InboxKit, LEASE_MS, POLICY } from '../specs/inbox-kit.js';
import { message, status } from '../specs/new-events.js';
import { claimTurns } from './claim-turns.js';
import { failTurn } from './fail-turn.js';
import { readyBatches } from './ready-batches.js';
import { releaseLeases } from './release-leases.js';

let database: TestDatabase;
let kit: InboxKit;

beforeAll(async () => {
  database = await testDatabase();
  kit = await InboxKit.open(database.url, shiftDatabaseClock);
});
beforeEach(() => kit.reset());
afterAll(async () => {
  await kit.close();
  await database.drop();
});

const ana = { phone: '15550100001' };
const ben = { phone: '15550100002' };
const batch = (columns: string) => kit.row(`SELECT ${columns} FROM batch`);

describe('a claim', () => {
  it('comes when the window is over, seals the batch and starts one turn', async () => {
    await kit.arrive(message('hi', ana, { externalId: 'm1' }), message('quick question', ana, { externalId: 'm2' }));
    await kit.pass(POLICY.windowMs - 10_000);
    expect((await kit.claim()).turns).toEqual([]);
    await kit.pass(10_000);
    const turn = await kit.claimOne();
    expect(turn).toMatchObject({ fence: '1', attempt: 1, thread: 'main', accountId: '1' });
    expect(turn.messages.map((said) => said.event.speech.text)).toEqual(['hi', 'quick question']);
    expect(await kit.outcomes()).toEqual({ m1: 'in_batch', m2: 'in_batch' });
    expect(
      await batch('state, fence::int, attempts, holder, epoch_ms(lease_until) - epoch_ms(sealed_at) AS lease'),
    ).toEqual({ state: 'running', fence: 1, attempts: 1, holder: 'holder', lease: LEASE_MS });
    expect(await kit.row('SELECT attempt, fence::int, ended_at AS ended FROM turn')).toEqual({
      ...{ attempt: 1, fence: 1, ended: null },
    });
  });

  it('orders by provider time, then arrival, whatever the order of the rows', async () => {
    const now = await kit.now();
    const at = (externalId: string, ago: number) => message(externalId, ana, { externalId, providerAt: now - ago });
    await kit.arrive(at('a', 1_000), at('d', 4_000));
    await kit.arrive(at('c', 4_000), at('b', 9_000));
    await kit.pass(POLICY.windowMs);
    expect((await kit.claimOne()).messages.map((said) => said.externalId)).toEqual(['b', 'd', 'c', 'a']);
  });

  it('takes only as many as asked, the longest waiting first, and other persons are not held back', async () => {
    await kit.arrive(message('hi', ben));
    await kit.pass(100);
    await kit.arrive(message('hi', ana));
    await kit.pass(POLICY.windowMs);
    const first = await kit.claim(kit.db, 'holder', 1);
    expect(first.turns.map((turn) => turn.conversationId)).toEqual(['1']);
    expect((await kit.claimOne()).conversationId).toBe('2');
  });

  it('gives one turn to a conversation with two threads, the longer waiting first', async () => {
    const group = { ...ana, group: 'g1' };
    await kit.arrive(message('a', { ...group, thread: 'a' }));
    await kit.pass(100);
    await kit.arrive(message('b', { ...group, thread: 'b' }));
    await kit.pass(POLICY.windowMs);
    const turn = await kit.claimOne();
    expect(turn.thread).toBe('a');
    expect((await kit.claim()).turns).toEqual([]);
    await kit.finish(turn, { kind: 'silent' });
    expect((await kit.claimOne()).thread).toBe('b');
  });
});

describe('is refused', () => {
  it('while another turn of the conversation runs or waits for its next attempt', async () => {
    const turn = await kit.turn('hi', ana);
    await kit.arrive(message('and?', ana));
    await kit.pass(POLICY.windowMs);
    expect((await kit.claim()).turns).toEqual([]);
    await failTurn(kit.db, { ...turn, error: 'spec', draft: null }, { ...POLICY, retryBaseMs: 60_000 });
    expect((await kit.claim()).turns).toEqual([]);
    await kit.pass(60_000);
    expect(await kit.claimOne()).toMatchObject({ batchId: turn.batchId, attempt: 2, fence: '2' });
  });

  it('while earlier parts are unsettled, and not a moment longer', async () => {
    await kit.reply(ana, 'one', 'two');
    await kit.arrive(message('and?', ana));
    await kit.pass(POLICY.windowMs);
    expect((await kit.claim()).turns).toEqual([]);
    const part = await kit.claimPart();
    expect((await kit.claim()).turns).toEqual([]);
    await kit.settle(part, accepted('w1'));
    await kit.arrive(status('sent', { providerId: 'w1' }));
    expect((await kit.claim()).turns).toEqual([]);
    const second = await kit.claimPart();
    await kit.settle(second, { kind: 'unknown', error: { code: 'reset', message: 'reset' } });
    expect((await kit.claim()).turns).toEqual([]);
    await kit.pass(POLICY.unknownWaitMs);
    await kit.sweepUnknown();
    expect((await kit.claim()).turns).toHaveLength(1);
  });

  it.each([
    ['a person has taken over', 'UPDATE conversation SET taken_over_at = now()'],
    ['a message has come in and the window runs again', `UPDATE batch SET due_at = due_at + interval '1 minute'`],
    [
      'parts of an earlier reply have come',
      `INSERT INTO part (conversation_id, thread, reply, index, author, text, state, next_attempt_at, created_at)
       VALUES (1, 'main', 1, 0, 'operator', 'text', 'pending', now(), now())`,
    ],
    [
      'another identity of the person was merged into it whose parts are still on their way',
      `INSERT INTO conversation (account_id, lock_key, merged_into_id) VALUES (1, 'person:old', 1);
       INSERT INTO part (conversation_id, thread, reply, index, author, text, state, next_attempt_at, created_at)
       VALUES (2, 'main', 1, 0, 'assistant', 'text', 'pending', now(), now())`,
    ],
    ['the batch was closed', `UPDATE batch SET state = 'human', finished_at = now()`],
  ])('when between the look and the lock %s', async (_, change) => {
    await kit.arrive(message('hi', ana));
    await kit.pass(POLICY.windowMs);
    const ready = await readyBatches(kit.db.prisma, 5);
    expect(ready).toHaveLength(1);
    await kit.sql(change);
    const options = { holder: 'h', leaseMs: LEASE_MS, policy: POLICY, maxTurnsPerDay: 200 };
    const nothing = { turns: [], ended: 0, reviews: [], overlaps: [] };
    expect(await claimTurns(kit.db, kit.accounts, ready, options)).toEqual(nothing);
    expect(await kit.sql('SELECT FROM turn')).toEqual([]);
  });

  it('for a conversation that somebody else has locked, without waiting; others go on', async () => {
    await kit.arrive(message('hi', ana), message('hi', ben));
    await kit.pass(POLICY.windowMs);
    const other = await kit.db.pool.connect();
    await other.query('BEGIN; SELECT FROM conversation WHERE id = 1 FOR NO KEY UPDATE');
    expect((await kit.claim()).turns.map((turn) => turn.conversationId)).toEqual(['2']);
    await other.query('COMMIT');
    other.release();
    expect((await kit.claim()).turns.map((turn) => turn.conversationId)).toEqual(['1']);
  });
});

describe('messages that became too old while they waited', () => {
  const old = async (externalId: string, ageMs: number) =>
    message(externalId, ana, { externalId, providerAt: (await kit.now()) - ageMs });

  it('go to review one by one; the fresh ones are answered', async () => {
    await kit.arrive(await old('old', POLICY.lateAfterMs - 10_000), await old('fresh', 0));
    await kit.pass(POLICY.windowMs);
    const { turns, reviews } = await kit.claim();
    expect(turns.map((turn) => turn.messages.map((said) => said.externalId))).toEqual([['fresh']]);
    expect(reviews).toMatchObject([{ reason: 'late', subject: expect.stringMatching(/^event:/) }]);
    expect(await kit.outcomes()).toEqual({ fresh: 'in_batch', old: 'review late' });
  });

  it('all of them: the batch is a person’s case', async () => {
    await kit.arrive(message('hi', ana, { externalId: 'm1' }));
    await kit.pass(POLICY.lateAfterMs + 1_000);
    const { turns, reviews } = await kit.claim();
    expect(turns).toEqual([]);
    expect(reviews).toMatchObject([{ reason: 'late', subject: 'batch:1' }]);
    expect(await batch('state, reason, attempts')).toEqual({ state: 'review', reason: 'late', attempts: 0 });
    expect(await kit.outcomes()).toEqual({ m1: 'review late' });
  });

  it('answered all the same when a person has sent them back', async () => {
    await kit.arrive(message('hi', ana));
    await kit.sql(`UPDATE batch SET reason = 'retried-by-person'`);
    await kit.pass(POLICY.lateAfterMs + 1_000);
    expect((await kit.claim()).turns).toHaveLength(1);
  });
});

describe('a lease that ran out', () => {
  it('is taken by the next holder with a higher fence, at once, and counts as an attempt', async () => {
    const turn = await kit.turn('hi', ana);
    await kit.pass(LEASE_MS - 60_000);
    expect((await kit.claim()).turns).toEqual([]);
    await kit.pass(60_000);
    const [next] = (await kit.claim(kit.db, 'other')).turns;
    expect(next).toMatchObject({ batchId: turn.batchId, fence: '2', attempt: 2 });
    expect(next?.messages).toEqual(turn.messages);
    expect(await kit.sql('SELECT attempt, outcome, holder FROM turn ORDER BY id')).toEqual([
      { attempt: 1, outcome: 'lapsed', holder: 'holder' },
      { attempt: 2, outcome: null, holder: 'other' },
    ]);
  });

  it('each time, until the attempts are used up: then a person is asked', async () => {
    await kit.turn('hi', ana);
    for (let attempt = 2; attempt <= POLICY.maxAttempts; attempt++) {
      await kit.pass(LEASE_MS);
      expect(await kit.claimOne()).toMatchObject({ attempt });
    }
    await kit.pass(LEASE_MS);
    const { turns, reviews } = await kit.claim();
    expect(turns).toEqual([]);
    expect(reviews).toMatchObject([{ reason: 'turn-failed', subject: 'batch:1' }]);
    expect(await batch('state, attempts, holder, fence::int')).toEqual({
      ...{ state: 'review', attempts: 4, holder: null, fence: 5 },
    });
    // Review is final for order and blocks nothing.
    await kit.turn('hello?', ana);
  });

  it('given back by a graceful stop is free at once, unless a tool may be at work', async () => {
    const turn = await kit.turn('hi', ana);
    await kit.sql(
      `INSERT INTO model_step (batch_id, position, fence, kind, state, started_at) VALUES (1, 0, 1, 'tool', 'started', now())`,
    );
    expect(await releaseLeases(kit.db, [turn])).toBe(0);
    expect((await kit.claim()).turns).toEqual([]);
    await kit.sql(`UPDATE model_step SET state = 'finished'`);
    expect(await releaseLeases(kit.db, [{ ...turn, fence: '7' }])).toBe(0);
    expect(await releaseLeases(kit.db, [turn])).toBe(1);
    expect(await kit.claimOne()).toMatchObject({ attempt: 2, fence: '2' });
  });
});

it('what is said between the claim and the finish goes into a new batch with a cap of its own', async () => {
  const turn = await kit.turn('hi', ana);
  const routed = await kit.arrive(message('and?', ana, { externalId: 'next' }));
  expect(routed.batches).toMatchObject([{ arm: true }]);
  expect(routed.batches[0]?.id).not.toBe(turn.batchId);
  await kit.finish(turn, { kind: 'silent' });
  await kit.arrive(message('hello?', ana));
  await kit.pass(POLICY.windowMs);
  const next = await kit.claimOne();
  expect(next.messages.map((said) => said.event.speech.text)).toEqual(['and?', 'hello?']);
  expect(next.dueAt).toBeGreaterThan(turn.dueAt);
});

it('a batch that is due behind a running turn keeps taking messages, within its cap', async () => {
  const turn = await kit.turn('hi', ana);
  for (const text of ['one', 'two', 'three', 'four']) {
    await kit.arrive(message(text, ana));
    await kit.pass(POLICY.windowMs);
  }
  await kit.finish(turn, { kind: 'silent' });
  const next = await kit.claimOne();
  expect(next.messages).toHaveLength(4);
  const [first] = next.messages;
  expect(next.dueAt).toBe(first!.arrivedAt + POLICY.maxWaitMs);
});
