import type { StatusName } from '#domain';
import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { accepted, GAP_MS, HOUR, InboxKit } from '../specs/inbox-kit.js';
import { OTHERS, status } from '../specs/new-events.js';
import { operatorMessage } from './operator-message.js';
import { settleParkedStatuses } from './settle-parked-statuses.js';

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
const gone = { code: '131026', message: 'Message undeliverable' };

/** Sends the first part of a reply; the channel accepts it as w1. */
async function sent(...parts: string[]): Promise<string[]> {
  const ids = await kit.reply(ana, ...parts);
  await kit.settle(await kit.claimPart(), accepted('w1'));
  return ids;
}

function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

it.each([
  ['one group each', 1],
  ['two groups', 3],
  ['one group', 5],
])('all 120 orders of five statuses end equal, routed in %s', async (_, together) => {
  const orders = permutations<StatusName>(['delivered', 'sent', 'read', 'delivered', 'read']);
  await sent('Hello');
  await kit.sql(
    `INSERT INTO part (conversation_id, thread, reply, index, author, text, state, provider_id, created_at)
     SELECT 1, 'main', 100 + n, 0, 'assistant', 'text', 'accepted', 'order' || n, oneturn_now() FROM generate_series(0, 119) n`,
  );
  for (let from = 0; from < 5; from += together) {
    const group = orders.flatMap((order, n) =>
      order.slice(from, from + together).map((name) => status(name, { providerId: `order${n}` })),
    );
    expect((await kit.arrive(...group)).partsMoved).toBe(true);
  }
  const ends = await kit.sql(
    `SELECT state, sent_at IS NOT NULL AS sent, delivered_at IS NOT NULL AS delivered, read_at IS NOT NULL AS read,
       count(*)::int AS count FROM part WHERE provider_id LIKE 'order%' GROUP BY 1, 2, 3, 4`,
  );
  expect(ends).toEqual([{ state: 'read', sent: true, delivered: true, read: true, count: 120 }]);
  expect(await kit.sql(`SELECT outcome, count(*)::int FROM event WHERE kind = 'status' GROUP BY 1`)).toEqual([
    { outcome: 'applied', count: 600 },
  ]);
  expect(await kit.openCases()).toEqual([]);
});

describe('a status that comes before the answer to the send', () => {
  it('waits parked, and is applied when the id arrives', async () => {
    await kit.reply(ana, 'Hello');
    const part = await kit.claimPart();
    await kit.arrive(status('delivered', { providerId: 'w1' }, { externalId: 's' }));
    expect(await kit.outcomes()).toMatchObject({ s: 'open' });
    expect(await kit.settle(part, accepted('w1'))).toMatchObject({ state: 'accepted', unparked: true });
    await kit.route();
    expect(await kit.states('part')).toEqual(['delivered']);
    expect(await kit.outcomes()).toMatchObject({ s: 'applied' });
    expect(await kit.sql('SELECT FROM parked_status')).toEqual([]);
  });

  it('is the evidence itself when it names the tracker', async () => {
    const [id] = await kit.reply(ana, 'Hello');
    const part = await kit.claimPart();
    await kit.arrive(status('sent', { providerId: 'w1', tracker: part.tracker }));
    expect(await kit.row('SELECT state, provider_id AS w, holder FROM part WHERE id = $1', [id])).toEqual({
      state: 'sent',
      w: 'w1',
      holder: null,
    });
    expect(await kit.settle(part, accepted('w1'))).toMatchObject({ state: 'sent', reviews: [] });
  });

  it('parked in the very moment in which the part got its id: the janitor finds it', async () => {
    await kit.reply(ana, 'Hello');
    const part = await kit.claimPart();
    await kit.store(status('delivered', { providerId: 'w1' }, { externalId: 's' }));
    // The router has looked for the part already, and the sender for parked statuses, when the one commits first.
    const other = await kit.db.pool.connect();
    await other.query('BEGIN; LOCK TABLE parked_status IN SHARE MODE');
    const routed = kit.route();
    await kit.untilBlocked();
    await other.query(`UPDATE part SET state = 'accepted', provider_id = 'w1', holder = NULL WHERE id = $1`, [part.id]);
    await other.query('COMMIT');
    other.release();
    await routed;
    expect(await kit.states('part')).toEqual(['accepted']);
    expect(await settleParkedStatuses(kit.db, 10)).toEqual({ unparked: 1, ended: 0 });
    await kit.route();
    expect(await kit.states('part')).toEqual(['delivered']);
    expect(await kit.outcomes()).toMatchObject({ s: 'applied' });
  });
});

describe('a status of a message that is not ours', () => {
  it('with somebody else’s tracker, or none: parked for a day, then ignored', async () => {
    await sent('Hello');
    await kit.arrive(
      status('sent', { providerId: 'x1' }, { externalId: 'none' }),
      status('sent', { providerId: 'x2', tracker: 'order-77' }, { externalId: 'theirs' }),
    );
    await kit.pass(23 * HOUR);
    expect(await settleParkedStatuses(kit.db, 10)).toEqual({ unparked: 0, ended: 0 });
    await kit.pass(HOUR);
    expect(await settleParkedStatuses(kit.db, 10)).toEqual({ unparked: 0, ended: 2 });
    const ignored = 'ignored status-of-foreign-message';
    expect(await kit.outcomes()).toMatchObject({ none: ignored, theirs: ignored });
  });

  it('with a tracker like ours of a part that does not exist: ignored at once', async () => {
    await sent('Hello');
    await kit.arrive(status('sent', { providerId: 'x1', tracker: 'part:999:1' }, { externalId: 's' }));
    expect(await kit.outcomes()).toMatchObject({ s: 'ignored status-of-foreign-message' });
  });

  it('of another account that names our part: moves nothing, and is not looked at again and again', async () => {
    const [id] = await sent('Hello');
    await kit.arrive(
      status('read', { providerId: 'w1', tracker: `part:${id}:1` }, { ...OTHERS, externalId: 'tracked' }),
      status('read', { providerId: 'w1' }, { ...OTHERS, externalId: 'named' }),
    );
    expect(await kit.states('part')).toEqual(['accepted']);
    expect(await kit.outcomes()).toMatchObject({ tracked: 'ignored status-of-foreign-message', named: 'open' });
    expect(await settleParkedStatuses(kit.db, 10)).toEqual({ unparked: 0, ended: 0 });
  });
});

describe('failed', () => {
  it('after the acceptance: a case that says how much got through, and the rest is held', async () => {
    const [first] = await sent('one', 'two', 'three');
    const routed = await kit.arrive(status('failed', { providerId: 'w1', error: gone }));
    expect(routed.reviews).toMatchObject([{ reason: 'send-failed' }]);
    expect(await kit.states('part')).toEqual(['failed', 'held', 'held']);
    expect(await kit.row('SELECT part_id::text AS part, detail, draft FROM review')).toEqual({
      part: first,
      detail: '0 of 3 parts delivered to the channel. Part 1: 131026 Message undeliverable',
      draft: 'one\n\ntwo\n\nthree',
    });
  });

  it('then sent: stays failed; then delivered: revived, the case is closed and the rest follows', async () => {
    await sent('one', 'two');
    await kit.arrive(status('failed', { providerId: 'w1', error: gone }));
    await kit.arrive(status('sent', { providerId: 'w1' }));
    expect(await kit.states('part')).toEqual(['failed', 'held']);
    expect(await kit.openCases()).toHaveLength(1);
    await kit.arrive(status('delivered', { providerId: 'w1' }));
    expect(await kit.states('part')).toEqual(['delivered', 'pending']);
    expect(await kit.openCases()).toEqual([]);
    await kit.pass(GAP_MS);
    expect((await kit.claimPart()).text).toBe('two');
  });
});

it('failed of an earlier attempt says nothing of the one that is being sent', async () => {
  kit.policy = { ...kit.policy, unknownSend: 'resend' };
  const [id] = await kit.reply(ana, 'one');
  const first = await kit.claimPart();
  await kit.settle(first, { kind: 'unknown', error: { code: 'timeout', message: 'no answer' } });
  await kit.pass(kit.policy.unknownWaitMs);
  await kit.sweepUnknown();
  const second = await kit.claimPart();
  await kit.arrive(status('failed', { providerId: 'w1', tracker: first.tracker, error: gone }));
  expect(await kit.states('part')).toEqual(['sending']);
  await kit.settle(second, accepted('w2'));
  expect(await kit.row('SELECT state, provider_id AS w, copies FROM part WHERE id = $1', [id])).toEqual({
    ...{ state: 'accepted', w: 'w2', copies: 1 },
  });
});

it('failed of a person’s message of several parts holds the rest of it as well', async () => {
  await kit.turn('hi', ana);
  const limitsOf = () => ({ partLength: 5, serviceWindowMs: null });
  const message = { conversationId: '1', text: 'one\n\ntwo', by: 'Ben', takeoverMs: HOUR };
  expect(await operatorMessage(kit.db, message, limitsOf)).toMatchObject({ kind: 'queued' });
  await kit.settle(await kit.claimPart(), accepted('w1'));
  await kit.arrive(status('failed', { providerId: 'w1', error: gone }));
  expect(await kit.states('part')).toEqual(['failed', 'held']);
});

it('sent shortens the pause before the next part', async () => {
  await sent('one', 'two');
  expect((await kit.claimParts()).parts).toEqual([]);
  await kit.arrive(status('sent', { providerId: 'w1' }));
  expect((await kit.claimPart()).text).toBe('two');
});
