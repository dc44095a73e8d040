import type { AssistantAnswer } from '#domain';
import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { InboxKit, LEASE_MS, POLICY, TAKEOVER_MS } from '../specs/inbox-kit.js';
import { echo, message } from '../specs/new-events.js';
import type { ClaimedTurn } from './claim-turns.js';
import { failTurn } from './fail-turn.js';
import { finishTurn } from './finish-turn.js';
import { createJournal } from './journal.js';
import { renewLeases } from './renew-leases.js';
import { takeOver } from './take-over.js';

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

const ana = { phone: '15550100001' };
const reply = (...parts: string[]): AssistantAnswer => ({ kind: 'reply', parts });
const fail = (turn: ClaimedTurn, draft: string | null = null) =>
  failTurn(kit.db, { ...turn, error: 'the model is away', draft }, kit.policy);
const batch = () =>
  kit.row('SELECT state, reason, holder, lease_until AS lease, fence::int, attempts FROM batch ORDER BY id LIMIT 1');

describe('a turn that ends', () => {
  it('puts its parts into the outbox, in order, and frees the lease, all at once', async () => {
    const turn = await kit.turn('hi', ana);
    expect(await kit.finish(turn, reply('one', 'two'))).toEqual({
      ...{ kind: 'finished', state: 'replied', parts: 2, reviews: [] },
    });
    expect(await kit.sql('SELECT index, text, state, author, thread FROM part ORDER BY index')).toEqual([
      { index: 0, text: 'one', state: 'pending', author: 'assistant', thread: 'main' },
      { index: 1, text: 'two', state: 'pending', author: 'assistant', thread: 'main' },
    ]);
    expect(await batch()).toMatchObject({ state: 'replied', holder: null, lease: null, fence: 1 });
    expect(await kit.row('SELECT outcome, assistant, ended_at IS NULL AS open FROM turn')).toEqual({
      ...{ outcome: 'replied', assistant: 'spec', open: false },
    });
  });

  it('without anything to say is silent', async () => {
    expect(await kit.finish(await kit.turn('hi', ana), reply())).toMatchObject({ state: 'silent', parts: 0 });
    expect(await kit.finish(await kit.turn('hi', ana), { kind: 'silent' })).toMatchObject({ state: 'silent' });
    expect(await kit.states('part')).toEqual([]);
  });

  it('by asking for a person opens a case', async () => {
    const turn = await kit.turn('I want my money back', ana);
    const finished = await kit.finish(turn, { kind: 'review', why: 'a refund' });
    expect(finished).toMatchObject({ state: 'review', reviews: [{ reason: 'assistant-asked', subject: 'batch:1' }] });
    expect(await kit.row('SELECT detail FROM review')).toEqual({ detail: 'a refund' });
  });

  it('again, because the answer to its commit was lost: the same outcome, and no second reply', async () => {
    const turn = await kit.turn('hi', ana);
    const first = await kit.finish(turn, reply('one', 'two'));
    expect(await kit.finish(turn, reply('one', 'two'))).toEqual(first);
    expect(await kit.finish(turn, reply('worded', 'otherwise', 'now'))).toEqual(first);
    expect(await kit.states('part')).toHaveLength(2);
  });

  it('by two of its own tries at the same moment: one reply', async () => {
    for (let round = 0; round < 8; round++) {
      const turn = await kit.turn('hi', { phone: `155501${10000 + round}` });
      const both = await Promise.all(kit.pools.map((db) => kit.finish(turn, reply('Hello'), db)));
      expect(both.map((one) => one.kind)).toEqual(['finished', 'finished']);
    }
    expect(await kit.states('part')).toHaveLength(8);
  });

  it('after its lease ran out, while nobody has taken the batch: finished', async () => {
    const turn = await kit.turn('hi', ana);
    await kit.pass(LEASE_MS + 1);
    expect(await kit.finish(turn, reply('Hello'))).toMatchObject({ kind: 'finished' });
  });

  it('reads the time after it has the lock', async () => {
    const turn = await kit.turn('hi', ana);
    const other = await kit.db.pool.connect();
    await other.query('BEGIN; SELECT FROM conversation FOR NO KEY UPDATE');
    const finished = kit.finish(turn, reply('Hello'), kit.pools[1]);
    await kit.untilBlocked();
    await kit.pass(1_000_000);
    const now = await kit.now();
    await other.query('COMMIT');
    other.release();
    await finished;
    const { at } = await kit.row<{ at: number }>('SELECT epoch_ms(finished_at) AS at FROM batch');
    expect(at).toBeGreaterThanOrEqual(now);
  });
});

describe('a turn that fails', () => {
  it('waits 1, 2, 4 times the base, and after the last attempt a person gets it with the draft', async () => {
    let turn = await kit.turn('hi', ana);
    for (const pause of [20_000, 40_000, 80_000]) {
      const before = await kit.now();
      const failed = await fail(turn);
      expect(failed).toEqual({ kind: 'retry', at: expect.any(Number) });
      expect((failed as { at: number }).at - before).toBeGreaterThanOrEqual(pause);
      expect((failed as { at: number }).at - (await kit.now())).toBeLessThanOrEqual(pause);
      expect(await batch()).toMatchObject({ state: 'retry_wait', holder: null, lease: null });
      expect((await kit.claim()).turns).toEqual([]);
      await kit.pass(pause);
      turn = await kit.claimOne();
    }
    expect(turn).toMatchObject({ attempt: 4, fence: '4' });
    expect(await fail(turn, 'Hello, I')).toMatchObject({ kind: 'review', reviews: [{ reason: 'turn-failed' }] });
    expect(await batch()).toMatchObject({ state: 'review', reason: 'turn-failed', attempts: 4 });
    expect(await kit.row('SELECT detail, draft FROM review')).toEqual({
      detail: '4 attempts failed. The last: the model is away',
      draft: 'Hello, I',
    });
    expect(await kit.sql('SELECT DISTINCT outcome, error FROM turn')).toEqual([
      { outcome: 'failed', error: 'the model is away' },
    ]);
  });
});

describe.each([
  ['taken by the next holder', async () => void (await kit.pass(LEASE_MS), await kit.claimOne())],
  ['taken over in the console', async () => void (await takeOver(kit.db, '1', 'Ben', TAKEOVER_MS))],
  ['taken over from the phone', async () => void (await kit.arrive(echo('Ben here', ana)))],
  ['failed by its own try before', async () => void (await fail(first))],
])('a holder whose batch was %s changes nothing', (_, lose) => {
  const snapshot = () => kit.sql('SELECT to_jsonb(b) AS batch FROM batch b');

  it('by finishing: no reply, and its answer is kept as the draft', async () => {
    first = await kit.turn('hi', ana);
    await lose();
    const before = await snapshot();
    expect(await kit.finish(first, reply('one', 'two'))).toEqual({ kind: 'stale' });
    expect(await snapshot()).toEqual(before);
    expect(await kit.states('part')).toEqual([]);
    expect(await kit.row('SELECT draft FROM turn WHERE fence = 1')).toEqual({ draft: 'one\n\ntwo' });
  });

  it('by failing, renewing or journaling', async () => {
    first = await kit.turn('hi', ana);
    await lose();
    const before = await snapshot();
    expect(await fail(first)).toEqual({ kind: 'stale' });
    expect(await renewLeases(kit.db, [first], 60_000)).toEqual(new Set());
    const journal = createJournal(kit.db, first);
    const call = { id: 'c', name: 'note', args: {}, key: 'k' };
    await expect(journal.recordAnswer(0, 'text', null)).rejects.toThrow('has lost it');
    await expect(journal.startTool(0, call, 'effectful')).rejects.toThrow('has lost it');
    await expect(journal.finishTool(0, 'done')).rejects.toThrow('has lost it');
    expect(await kit.sql('SELECT FROM model_step')).toEqual([]);
    expect(await snapshot()).toEqual(before);
  });
});
let first: ClaimedTurn;

it('a renewal moves the lease on from now, and only that of the turns it names', async () => {
  const turn = await kit.turn('hi', ana);
  await kit.arrive(message('hi', { phone: '15550100002' }));
  await kit.pass(POLICY.windowMs);
  const other = await kit.claimOne();
  await kit.pass(LEASE_MS - 60_000);
  expect(await renewLeases(kit.db, [turn, { ...other, fence: '9' }], LEASE_MS)).toEqual(new Set([turn.batchId]));
  await kit.pass(60_000);
  const [lapsed, ...more] = (await kit.claim()).turns;
  expect(lapsed?.batchId).toBe(other.batchId);
  expect(more).toEqual([]);
});

it('a finish that cannot be written as a whole writes nothing', async () => {
  const turn = await kit.turn('hi', ana);
  const answer = reply('fine', 'with a NUL \0');
  await expect(finishTurn(kit.db, { ...turn, assistant: 'spec', usage: null }, answer)).rejects.toThrow();
  expect(await batch()).toMatchObject({ state: 'running', holder: 'holder' });
  expect(await kit.states('part')).toEqual([]);
});
