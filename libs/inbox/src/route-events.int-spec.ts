import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { InboxKit, POLICY, TAKEOVER_MS } from '../specs/inbox-kit.js';
import { chat, echo, event, message, speech, system } from '../specs/new-events.js';

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

const ana = { phone: '15550100001', name: 'Ana' };
const ben = { phone: '15550100002' };
const late = async () => ({ providerAt: (await kit.now()) - POLICY.lateAfterMs - 1 });

interface Times {
  first: number;
  last: number;
  due: number;
}
const times = () =>
  kit.sql<Times>(
    'SELECT epoch_ms(first_at) AS first, epoch_ms(last_at) AS last, epoch_ms(due_at) AS due FROM batch ORDER BY id',
  );

describe('messages', () => {
  it('open a batch, join it, and move its end no further than the cap', async () => {
    const opened = await kit.arrive(message('hi', ana));
    expect(opened.batches).toMatchObject([{ arm: true }]);
    for (let n = 0; n < 5; n++) {
      await kit.pass(15_000);
      expect((await kit.arrive(message(`and ${n}`, ana))).batches).toMatchObject([{ arm: false }]);
    }
    const [batch, ...others] = await times();
    expect(others).toEqual([]);
    expect(batch!.due).toBe(batch!.first + POLICY.maxWaitMs);
    expect(batch!.last - batch!.first).toBeGreaterThanOrEqual(75_000);
  });

  it('routed in any order, in one group or in several: the times are those of their arrivals', async () => {
    const texts = Array.from({ length: 6 }, (_, n) => message(`${n}`, ana, { externalId: `m${n}` }));
    await kit.store(...texts);
    // As if lower ids had committed later: each has its own arrival.
    await kit.sql(`UPDATE event SET arrived_at = arrived_at - (id * 37 % 7) * interval '100 ms'`);
    for (let n = 0; n < 3; n++) await kit.route(kit.db, 2);
    const arrivals = await kit.sql<{ at: number }>('SELECT epoch_ms(arrived_at) AS at FROM event');
    const [batch] = await times();
    const all = arrivals.map(({ at }) => at);
    expect(batch).toEqual({
      first: Math.min(...all),
      last: Math.max(...all),
      due: Math.max(...all) + POLICY.windowMs,
    });
  });

  it('follow the policy of their account', async () => {
    await kit.sql(`UPDATE account SET policy = '{"windowMs": 90000, "maxWaitMs": 90000}' WHERE id = 1`);
    await kit.accounts.refresh(true);
    await kit.arrive(message('hi', ana));
    const [batch] = await times();
    expect(batch!.due - batch!.first).toBe(90_000);
  });

  it('said long ago: go to review by themselves and hold back nobody', async () => {
    const old = message('from yesterday', ana, { externalId: 'old', ...(await late()) });
    const routed = await kit.arrive(old, message('hi', ana, { externalId: 'fresh' }));
    expect(routed.reviews).toMatchObject([{ reason: 'late' }]);
    expect(await kit.outcomes()).toEqual({ fresh: 'open', old: 'review late' });
    await kit.pass(POLICY.windowMs);
    expect((await kit.claimOne()).messages.map((said) => said.externalId)).toEqual(['fresh']);
  });

  it('from a clock that runs ahead: count as said when they arrived', async () => {
    const ahead = message('hi', ana, { providerAt: (await kit.now()) + 86_400_000 });
    await kit.arrive(ahead);
    const row = await kit.row<{ at: number; arrived: number }>(
      'SELECT epoch_ms(last_inbound_at) AS at, epoch_ms(arrived_at) AS arrived FROM conversation, event',
    );
    expect(row.at).toBe(row.arrived);
  });

  it('of a group chat: one conversation whoever writes, and one batch per topic', async () => {
    const inGroup = (from: object, thread: string) => message('hi', { ...from, group: 'g1', thread });
    await kit.arrive(inGroup(ana, 'a'), inGroup(ben, 'a'), inGroup(ana, 'b'), message('privately', ana));
    expect(await kit.sql('SELECT group_id AS "group", phone FROM conversation ORDER BY id')).toEqual([
      { group: 'g1', phone: null },
      { group: null, phone: ana.phone },
    ]);
    const batches = await kit.sql<{ thread: string; said: number }>(
      'SELECT b.thread, count(*)::int AS said FROM batch b JOIN event e ON e.batch_id = b.id GROUP BY b.id ORDER BY b.id',
    );
    expect(batches.map(({ thread, said }) => `${thread} ${said}`).sort()).toEqual(['a 2', 'b 1', 'main 1']);
  });
});

describe('what is not speech starts no turn', () => {
  const of = { externalId: 'e' };
  it.each([
    ['a reaction', event({ kind: 'reaction', chat: chat(ana), targetId: 'm', emoji: '👍' }, of), 'ignored reaction'],
    ['a system notice', { ...system(ana, []), ...of }, 'ignored system'],
    ['an edit', event({ kind: 'edit', chat: chat(ana), targetId: 'm', speech: speech('hi!') }, of), 'applied'],
    ['a deletion', event({ kind: 'deletion', chat: chat(ana), targetId: 'm' }, of), 'applied'],
    ['a notice of the channel', event({ kind: 'notice', what: 'quality', text: 'green' }, of), 'ignored notice'],
    ['something unreadable', event({ kind: 'unreadable', why: 'spec' }, of), 'review unreadable'],
    ['nothing that was parsed', event({ kind: 'unreadable', why: '' }, { ...of, parsed: 'null' }), 'review unreadable'],
    ['a message of nobody', message('hi', {}, of), 'review unreadable'],
  ])('%s', async (_, one, outcome) => {
    await kit.arrive(message('hi', ana, { externalId: 'm' }));
    const [before] = await times();
    await kit.pass(1_000);
    const routed = await kit.arrive(one);
    expect(await kit.outcomes()).toEqual({ m: 'open', e: outcome });
    expect(routed.batches).toEqual([]);
    expect(await times()).toEqual([before]);
    expect(await kit.openCases()).toHaveLength(outcome.startsWith('review') ? 1 : 0);
  });

  const poll = (externalId: string) =>
    event({ kind: 'unsupported', chat: chat(ana), what: 'poll', error: null }, { externalId });

  it('something unsupported: a first contact needs a person, a second one in the same breath does not', async () => {
    const routed = await kit.arrive(poll('p1'), poll('p2'));
    expect(await kit.outcomes()).toEqual({ p1: 'review unsupported', p2: 'ignored unsupported' });
    expect(routed.reviews).toMatchObject([{ reason: 'unsupported' }]);
    await kit.arrive(poll('p3'));
    expect(await kit.openCases()).toHaveLength(1);
    expect(await kit.states('batch')).toEqual([]);
  });
});

describe('a message from the business’s own phone', () => {
  it('takes the conversation over: what was collected and what follows is the person’s', async () => {
    await kit.arrive(message('hi', ana, { externalId: 'before' }));
    await kit.arrive(echo('Hello, this is Ben', ana));
    await kit.arrive(message('hello Ben', ana, { externalId: 'after' }));
    expect(await kit.outcomes()).toMatchObject({ before: 'human', after: 'human' });
    expect(await kit.states('batch')).toEqual(['human']);
    const until = await kit.row<{ by: string; ms: number }>(
      'SELECT taken_over_by AS by, epoch_ms(takeover_until) - epoch_ms(taken_over_at) AS ms FROM conversation',
    );
    expect(until).toEqual({ by: 'phone', ms: TAKEOVER_MS });
    await kit.pass(POLICY.maxWaitMs);
    expect(await kit.claim()).toEqual({ turns: [], ended: 0, reviews: [], overlaps: [] });
  });

  it('reacts to it or sends a poll: an unsupported first contact is no case while a person is there', async () => {
    await kit.arrive(echo('Hello', ana));
    await kit.arrive(event({ kind: 'unsupported', chat: chat(ana), what: 'poll', error: null }, { externalId: 'p' }));
    expect(await kit.outcomes()).toMatchObject({ p: 'ignored unsupported' });
  });
});

it('time is read after the lock: who waits for a conversation does not decide by an old clock', async () => {
  await kit.arrive(message('hi', ana));
  await kit.store(message('and?', ana, { externalId: 'waited', providerAt: await kit.now() }));
  const other = await kit.db.pool.connect();
  await other.query('BEGIN; SELECT FROM conversation FOR NO KEY UPDATE');
  const routed = kit.route();
  await kit.untilBlocked();
  await kit.pass(POLICY.lateAfterMs + 1_000);
  await other.query('COMMIT');
  other.release();
  expect((await routed).placed).toMatchObject([{ placement: { kind: 'review', reason: 'late' } }]);
  expect(await kit.outcomes()).toMatchObject({ waited: 'review late' });
});

it('the latest message by provider time opens the service window, wherever it stands in the group', async () => {
  const now = await kit.now();
  const at = (externalId: string, ago: number) => message('hi', ana, { externalId, providerAt: now - ago });
  await kit.arrive(at('b', 5_000), at('a', 1_000), at('c', 9_000));
  const inbound = 'SELECT last_inbound_id AS id, epoch_ms(last_inbound_at) AS at FROM conversation';
  expect(await kit.row(inbound)).toEqual({ id: 'a', at: now - 1_000 });
  await kit.arrive(at('d', 3_000));
  expect(await kit.row(inbound)).toEqual({ id: 'a', at: now - 1_000 });
});
