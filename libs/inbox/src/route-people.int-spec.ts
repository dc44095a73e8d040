import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { accepted, InboxKit, LEASE_MS, POLICY } from '../specs/inbox-kit.js';
import { echo, message, OTHERS, reaction, system } from '../specs/new-events.js';
import { failTurn } from './fail-turn.js';
import { loadTurn } from './load-turn.js';
import { renewLeases } from './renew-leases.js';

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

const phone = '15550100001';
const user = 'US.ana1';
const parent = 'US.ENT.ana1';
const people = () =>
  kit.sql<{ id: string }>('SELECT id::text FROM conversation WHERE merged_into_id IS NULL ORDER BY id');
const aliases = async () =>
  (await kit.sql<{ text: string }>(`SELECT kind || ' ' || value AS text FROM contact_alias ORDER BY kind, value`)).map(
    (row) => row.text,
  );
const batches = () =>
  kit.sql<{ of: string; state: string; said: string[] }>(
    `SELECT conversation_id::text AS of, state, array(SELECT external_id FROM event e WHERE e.batch_id = b.id ORDER BY e.arrived_at, e.arrival_group) AS said
     FROM batch b ORDER BY id`,
  );

describe('one person', () => {
  it.each([
    ['the phone alone', { phone }],
    ['the business-scoped id alone', { user }],
    ['both', { phone, user }],
    ['everything', { phone, user, parent, name: 'Ana' }],
  ])('known by %s is one conversation', async (_, from) => {
    await kit.arrive(message('hi', from), message('again', from));
    await kit.arrive(message('later', from));
    expect(await people()).toHaveLength(1);
    expect(await batches()).toHaveLength(1);
    expect(await kit.sql('SELECT phone, user_id AS user, name FROM conversation')).toEqual([
      {
        phone: 'phone' in from ? phone : null,
        user: 'user' in from ? user : null,
        name: 'name' in from ? 'Ana' : null,
      },
    ]);
  });

  it('of another account is another conversation', async () => {
    await kit.arrive(message('hi', { phone }), { ...message('hi', { phone }), ...OTHERS });
    expect(await people()).toHaveLength(2);
  });

  it('first without a phone, then with one, then with a rotated id: one conversation', async () => {
    await kit.arrive(message('hi', { user }));
    await kit.arrive(message('hi', { phone, user }));
    await kit.arrive(system({ phone: '15550100009', user: 'US.ana2' }, [{ kind: 'user', value: user }]));
    await kit.arrive(message('hi', { user: 'US.ana2' }), message('hi', { phone: '15550100009' }));
    expect(await people()).toHaveLength(1);
    expect(await aliases()).toEqual([`phone ${phone}`, 'phone 15550100009', `user ${user}`, 'user US.ana2']);
    expect(await batches()).toHaveLength(1);
  });

  it('whose names come apart in one group and together at its end is one conversation', async () => {
    const group = [{ phone }, { user }, { parent }, { phone, user }, { user, parent }];
    await kit.arrive(...group.map((from, n) => message(`${n}`, from, { externalId: `m${n}` })));
    expect(await people()).toHaveLength(1);
    expect(await batches()).toMatchObject([{ state: 'collecting', said: ['m0', 'm1', 'm2', 'm3', 'm4'] }]);
  });

  it('routed by two batchers at the same moment is one conversation', async () => {
    for (let round = 0; round < 25; round++) {
      const from = { phone: `1555020${1000 + round}`, user: `US.r${round}` };
      await kit.store(message('one', from, { externalId: `a${round}` }));
      await kit.store(message('two', from, { externalId: `b${round}` }));
      // Whoever comes first gets one of them, as the other one's group is locked.
      const routed = await Promise.all(kit.pools.map((db) => kit.route(db, 1)));
      expect(routed.map(({ taken }) => taken)).toEqual([1, 1]);
    }
    expect(await people()).toHaveLength(25);
    expect((await batches()).map(({ said }) => said.length)).toEqual(Array(25).fill(2));
  });

  it('named differently to two batchers at the same moment is one conversation in the end', async () => {
    for (let round = 0; round < 12; round++) {
      const from = { phone: `1555030${1000 + round}`, user: `US.s${round}` };
      await kit.store(message('one', { phone: from.phone }));
      await kit.store(message('two', { user: from.user }));
      await kit.store(message('three', from));
      await kit.store(message('four', from));
      for (let n = 0; n < 2; n++) await Promise.all(kit.pools.map((db) => kit.route(db, 1)));
    }
    expect(await kit.sql('SELECT FROM event WHERE routed_at IS NULL')).toEqual([]);
    expect(await people()).toHaveLength(12);
    expect((await batches()).filter(({ state }) => state === 'collecting').map(({ said }) => said.length)).toEqual(
      Array(12).fill(4),
    );
  });
});

describe('two conversations that turn out to be one person', () => {
  it('both collecting: one batch, with the earliest first message and everything in it', async () => {
    await kit.arrive(message('hi', { phone }, { externalId: 'm1' }));
    await kit.pass(1_500);
    await kit.arrive(message('hello', { user }, { externalId: 'm2' }));
    await kit.pass(1_000);
    await kit.arrive(message('it is me', { phone, user }, { externalId: 'm3' }));
    const [survivor] = await people();
    expect(await batches()).toEqual([
      { of: survivor!.id, state: 'collecting', said: ['m1', 'm2', 'm3'] },
      { of: expect.any(String), state: 'superseded', said: [] },
    ]);
    const times = await kit.row<{ wait: number; first: number; arrived: number }>(
      `SELECT epoch_ms(due_at) - epoch_ms(first_at) AS wait, epoch_ms(first_at) AS first,
         (SELECT min(epoch_ms(arrived_at)) FROM event) AS arrived FROM batch WHERE state = 'collecting'`,
    );
    expect(times.first).toBe(times.arrived);
    expect(times.wait).toBeLessThanOrEqual(POLICY.maxWaitMs);
    await kit.pass(POLICY.windowMs);
    expect((await kit.claimOne()).messages.map((said) => said.externalId)).toEqual(['m1', 'm2', 'm3']);
    expect(await kit.sql('SELECT DISTINCT conversation_id::text AS id FROM event')).toEqual([{ id: survivor!.id }]);
  });

  it.each([
    ['stays', { phone }, { user }],
    ['ends', { user }, { phone }],
  ])('the one that %s has a running turn: nothing else is claimed until its parts are out', async (_, runs, waits) => {
    // The older of the two stays.
    await kit.arrive(reaction({ phone }), reaction({ user }));
    const turn = await kit.turn('running', runs);
    await kit.arrive(message('waiting', waits), message('it is me', { phone, user }));
    await kit.pass(POLICY.windowMs);
    expect((await kit.claim()).turns).toEqual([]);
    expect(await kit.finish(turn, { kind: 'reply', parts: ['Hello'] })).toMatchObject({ kind: 'finished', parts: 1 });
    expect((await kit.claim()).turns).toEqual([]);
    await kit.settle(await kit.claimPart(), accepted('w1'));
    const next = await kit.claimOne();
    expect(next.messages).toHaveLength(2);
    const { context } = await loadTurn(kit.db, next, kit.accounts.all()[0]!, '');
    expect(context.history.map(({ text }) => text)).toEqual(['running', 'Hello']);
  });

  it('both had a turn: they never run at once again, also when leases run out together', async () => {
    await kit.arrive(reaction({ phone }), reaction({ user }));
    const running = await kit.turn('one', { phone });
    const failed = await kit.turn('two', { user });
    await failTurn(kit.db, { ...failed, error: 'spec', draft: null }, POLICY);
    await kit.arrive(message('it is me', { phone, user }));
    await kit.pass(POLICY.retryBaseMs);
    expect((await kit.claim()).turns).toEqual([]);
    await renewLeases(kit.db, [running], LEASE_MS);
    await kit.finish(running, { kind: 'silent' });
    const retried = await kit.claimOne();
    expect(retried).toMatchObject({ batchId: failed.batchId, attempt: 2 });
    // As if the other had begun before the merge and died with this one.
    await kit.sql(
      `UPDATE batch SET state = 'running', finished_at = NULL, holder = 'h', lease_until = $1 WHERE id = $2`,
      [new Date(0), running.batchId],
    );
    await kit.pass(LEASE_MS);
    for (const batchId of [running.batchId, failed.batchId]) {
      const claims = await Promise.all([...kit.pools, ...kit.pools].map((db) => kit.claim(db)));
      const [turn, ...others] = claims.flatMap(({ turns }) => turns);
      expect(turn).toMatchObject({ batchId });
      expect(others).toEqual([]);
      await kit.finish(turn!, { kind: 'silent' });
    }
    await kit.pass(POLICY.windowMs);
    expect((await kit.claimOne()).messages).toHaveLength(1);
  });

  it('one taken over: the person has all of it', async () => {
    await kit.arrive(message('hi', { phone }, { externalId: 'm1' }));
    await kit.arrive(message('hello', { user }, { externalId: 'm2' }), echo('Ben here', { user }));
    await kit.arrive(message('it is me', { phone, user }, { externalId: 'm3' }));
    expect(await kit.outcomes()).toMatchObject({ m1: 'human', m2: 'human', m3: 'human' });
    expect(await kit.states('batch')).toEqual(['human']);
    await kit.pass(POLICY.maxWaitMs);
    expect((await kit.claim()).turns).toEqual([]);
  });

  it('merged by another batcher between our look and our lock: we look again', async () => {
    await kit.arrive(reaction({ phone }), reaction({ user }), reaction({ parent }));
    const [first] = await people();
    await kit.store(message('hi', { user, parent }, { externalId: 'm1' }));
    const other = await kit.db.pool.connect();
    await other.query('BEGIN; SELECT FROM conversation ORDER BY id FOR NO KEY UPDATE');
    const routed = kit.route(kit.pools[1]);
    await kit.untilBlocked();
    // All three are one: an update of its names must not wait for the batcher that waits for us.
    await other.query('UPDATE contact_alias SET conversation_id = $1', [first!.id]);
    await other.query('UPDATE conversation SET merged_into_id = $1 WHERE id <> $1', [first!.id]);
    await other.query('COMMIT');
    other.release();
    expect((await routed).placed).toMatchObject([{ conversationId: first!.id }]);
    expect(await people()).toEqual([first]);
    expect(await kit.sql('SELECT DISTINCT conversation_id::text AS id FROM contact_alias')).toEqual([first]);
  });
});
