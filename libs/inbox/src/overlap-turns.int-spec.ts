/** Strategies that act on turns, lock scopes, and what an operator may do, on real tables. */
import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { InboxKit, LEASE_MS } from '../specs/inbox-kit.js';
import { ann, events, idsOf, overlapWords } from '../specs/overlap-kit.js';
import type { ClaimedTurn } from './claim-turns.js';
import { failTurn } from './fail-turn.js';
import { createJournal } from './journal.js';
import { releaseLease } from './release-lease.js';
import { renewLeases } from './renew-leases.js';
import { setAccountPolicy } from './set-account-policy.js';

let database: TestDatabase;
let kit: InboxKit;
beforeAll(async () => {
  database = await testDatabase();
  kit = await InboxKit.open(database.url, shiftDatabaseClock, 2);
});
beforeEach(() => kit.reset());
afterAll(async () => {
  await kit.close();
  await database.drop();
});

const { say, sayAs, choose, claimed, silence } = overlapWords(() => kit);

describe('drop', () => {
  beforeEach(() => choose({ strategy: 'drop' }));

  it('drops what comes while a turn is dispatched, runs, or waits for its next attempt; a copy changes nothing', async () => {
    expect(events(await say('A', 'B'))).toEqual(['dispatched A', 'message-dropped B']);
    const turn = await kit.claimOne();
    await say('C');
    await failTurn(kit.db, { ...turn, error: 'x', draft: null }, kit.policy);
    await say('D');
    await kit.pass(kit.policy.retryBaseMs);
    await silence(await kit.claimOne());
    expect((await say('B')).taken).toBe(0);
    await say('E');
    expect(await claimed()).toEqual([['E']]);
    const gone = 'dropped busy';
    expect(await kit.outcomes()).toEqual({ A: 'in_batch', B: gone, C: gone, D: gone, E: 'in_batch' });
  });
});

describe('concurrent', () => {
  it('begins as many turns as there may be, in order of arrival, whoever claims', async () => {
    choose({ strategy: 'concurrent', maxConcurrent: 2 });
    await say('A', 'B', 'C', 'D', 'E');
    const [first, second] = await Promise.all(kit.pools.map((db) => kit.claim(db)));
    const running = [...(first?.turns ?? []), ...(second?.turns ?? [])];
    expect(running.map(idsOf).flat().sort()).toEqual(['A', 'B']);
    expect(running.map((turn) => turn.slot).sort()).toEqual([0, 1]);
    expect(await claimed()).toEqual([]);
    // The one in the second place ends first: its place is free, the other's is not.
    await silence(running.find((turn) => turn.slot === 1) as ClaimedTurn);
    const next = await kit.claimOne();
    expect([idsOf(next), next.slot]).toEqual([['C'], 1]);
    await silence(running.find((turn) => turn.slot === 0) as ClaimedTurn);
    expect(await claimed()).toEqual([['D']]);
  });

  it('without a limit begins all, each with a reply of its own', async () => {
    choose({ strategy: 'concurrent' });
    await say('A', 'B', 'C');
    expect(await claimed()).toEqual([['A'], ['B'], ['C']]);
    expect(await kit.row('SELECT turns_today AS turns FROM conversation')).toEqual({ turns: 3 });
  });

  it('the database itself refuses a turn too many', async () => {
    choose({ strategy: 'concurrent', maxConcurrent: 1 });
    await say('A', 'B');
    await kit.claimOne();
    const start = (slot: number) =>
      kit.sql(
        `UPDATE batch SET state = 'running', holder = 'x', lease_until = now(), slot = ${slot} WHERE state = 'queued'`,
      );
    await expect(start(0)).rejects.toThrow('batch_one_turn');
    await expect(start(1)).rejects.toThrow('batch_slot');
  });
});

describe('interrupt', () => {
  beforeEach(() => choose({ strategy: 'interrupt', windowMs: 10_000, maxWaitMs: 50_000, maxRestarts: 1 }));
  const running = async (): Promise<ClaimedTurn> => {
    await say('A');
    await kit.pass(10_000);
    return kit.claimOne();
  };

  it('takes a turn back and starts it anew with old and new messages, and keeps what it had worded', async () => {
    const turn = await running();
    expect(events(await say('B'))).toEqual(['turn-interrupted B', 'message-debouncing B']);
    expect(await renewLeases(kit.db, [turn], LEASE_MS)).toEqual(new Set());
    const usage = { inputTokens: 7, outputTokens: 3 };
    const late = createJournal(kit.db, turn).recordAnswer(0, { parts: ['Hello'] }, usage);
    await expect(late).rejects.toThrow('has lost it');
    await kit.pass(10_000);
    const next = await kit.claimOne();
    expect([idsOf(next), next.attempt]).toEqual([['A', 'B'], 1]);
    expect(
      await kit.row('SELECT replaces_id::text AS replaces, restarts FROM batch WHERE state = $1', ['running']),
    ).toEqual({
      replaces: turn.batchId,
      restarts: 1,
    });
    const [discarded] = await kit.sql('SELECT outcome, draft, input_tokens AS tokens FROM turn ORDER BY id LIMIT 1');
    expect(discarded).toEqual({ outcome: 'interrupted', draft: 'Hello', tokens: 7 });
    await say('C');
    expect(await silence(next)).toMatchObject({ kind: 'finished' });
    await kit.pass(10_000);
    expect(await claimed()).toEqual([['C']]);
  });

  it('that waits for a step ends the turn after it', async () => {
    await running();
    const other = await kit.db.pool.connect();
    await other.query(`BEGIN; SELECT FROM batch WHERE state = 'running' FOR SHARE`);
    const interrupted = say('B');
    await kit.untilBlocked();
    await kit.pass(1000);
    const { rows } = await other.query<{ at: number }>('SELECT epoch_ms(oneturn_now()) AS at');
    await other.query('COMMIT');
    other.release();
    await interrupted;
    const ended = await kit.row<{ at: number }>(`SELECT epoch_ms(ended_at) AS at FROM turn WHERE ended_at IS NOT NULL`);
    expect(ended.at).toBeGreaterThanOrEqual(rows[0]!.at);
  });

  it('lets a turn end whose tool has an effect, or whose cap is over', async () => {
    const turn = await running();
    await createJournal(kit.db, turn).startTool(0, { id: 'c', name: 'book', args: {}, key: 'k' }, 'effectful');
    await say('B');
    expect(await silence(turn)).toMatchObject({ kind: 'finished' });
    await kit.pass(10_000);
    const next = await kit.claimOne();
    await kit.pass(40_000);
    await say('C');
    expect(await silence(next)).toMatchObject({ kind: 'finished' });
  });
});

describe('lock scope', () => {
  const t1 = { ...ann, thread: 't1' };
  const t2 = { ...ann, thread: 't2' };

  it('thread: each thread has a turn of its own at a time', async () => {
    choose({ strategy: 'queue', lockScope: 'thread' });
    await sayAs(t1, 'A');
    await sayAs(t2, 'B');
    await sayAs(t1, 'C');
    const { turns } = await kit.claim();
    expect(turns.map((turn) => [turn.thread, idsOf(turn)])).toEqual([
      ['t1', ['A']],
      ['t2', ['B']],
    ]);
    await silence(turns[0] as ClaimedTurn);
    expect(await claimed()).toEqual([['C']]);
  });

  it('channel: one turn at a time, and yet every thread gets its own, with its own messages', async () => {
    choose({ strategy: 'queue' });
    await sayAs(t1, 'A');
    await sayAs(t2, 'B');
    await sayAs(t1, 'C');
    await silence(await kit.claimOne());
    const second = await kit.claimOne();
    expect([second.thread, idsOf(second)]).toEqual(['t2', ['B']]);
    await silence(second);
    const third = await kit.claimOne();
    expect([third.thread, idsOf(third)]).toEqual(['t1', ['C']]);
  });

  it('batch keeps one turn at a time over all threads, and each thread its batch', async () => {
    await sayAs(t1, 'A');
    await sayAs(t2, 'B');
    await kit.pass(kit.policy.windowMs);
    await silence(await kit.claimOne());
    expect(await claimed()).toEqual([['B']]);
  });
});

it.each([
  ['strategy', '"shuffle"'],
  ['windowMs', '-1'],
  ['maxQueueSize', '0'],
  ['maxConcurrent', '1.5'],
  ['onQueueFull', '"panic"'],
  ['lockScope', '"galaxy"'],
  ['debounceMs', '"100"'],
])('an account with a wrong %s is refused where it is written, by name', async (field, value) => {
  const written = kit.sql(`UPDATE account SET policy = '{"${field}": ${value}}'`);
  await expect(written).rejects.toThrow(`account_policy_${field}`);
});

it('an operator frees a conversation that a turn holds: its holder has lost it, and the attempt counts', async () => {
  choose({ strategy: 'queue' });
  await say('A');
  const turn = await kit.claimOne();
  const free = () => releaseLease(kit.db, turn.conversationId, 'Ann');
  const { conversationId, batchId } = turn;
  expect(await free()).toEqual({ kind: 'released', conversationId, batchIds: [batchId], toolsUnderWay: 0 });
  expect(await silence(turn)).toEqual({ kind: 'stale' });
  const next = await kit.claimOne();
  expect([idsOf(next), next.attempt]).toEqual([['A'], 2]);
  await silence(next);
  expect(await free()).toEqual({ kind: 'not-held' });
  expect(await releaseLease(kit.db, '999', 'Ann')).toEqual({ kind: 'missing' });
});

it('an account is changed as a whole or not at all, and told of what it does not use', async () => {
  const change = (policy: object) => setAccountPolicy(kit.db, '1', { ...policy }, 'batch');
  expect(await change({ strategy: 'queue', maxQueueSize: 0 })).toEqual({
    kind: 'refused',
    problems: [expect.stringMatching(/^maxQueueSize is 0/)],
  });
  expect(await kit.row('SELECT policy FROM account WHERE id = 1')).toEqual({ policy: {} });
  const policy = { strategy: 'queue', maxQueueSize: 3, debounceMs: 5 };
  expect(await change(policy)).toEqual({
    ...{ kind: 'changed', policy },
    warnings: [expect.stringMatching(/^debounceMs is ignored/)],
  });
  expect(await change({ strategy: null, maxQueueSize: null })).toMatchObject({ policy: { debounceMs: 5 } });
});
