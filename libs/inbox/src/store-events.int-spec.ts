import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { HOUR, InboxKit, POLICY } from '../specs/inbox-kit.js';
import { event, message, OTHERS } from '../specs/new-events.js';
import { storeEvents } from './store-events.js';

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
const hi = (externalId: string, text = 'hi') => message(text, ana, { externalId });
const ids = async (order = 'arrival_index') =>
  (await kit.sql<{ id: string }>(`SELECT external_id AS id FROM event ORDER BY ${order}`)).map((row) => row.id);

it('stores each event once: copies in one group, in a later one, and under another account', async () => {
  expect(await kit.store(hi('m1'), hi('m1'), hi('m2'))).toEqual({ fresh: 2, toRoute: 2, duplicates: 1, isolated: 0 });
  expect(await kit.store(hi('m2'), hi('m1'))).toEqual({ fresh: 0, toRoute: 0, duplicates: 2, isolated: 0 });
  expect(await kit.store({ ...hi('m1'), ...OTHERS })).toMatchObject({ fresh: 1, duplicates: 0 });
  expect(await ids('account_key, external_id')).toEqual(['m1', 'm2', 'm1']);
  expect(await kit.sql('SELECT FROM event_variant')).toEqual([]);
});

it('keeps the first of two contents under one id, and the other as a variant, once', async () => {
  await kit.store(hi('m1', 'first'), hi('m1', 'second'));
  await kit.store(hi('m1', 'second'), hi('m1', 'third'), hi('m1', 'first'));
  const stored = await kit.row<{ parsed: { speech: { text: string } } }>('SELECT parsed FROM event');
  expect(stored.parsed.speech.text).toBe('first');
  const variants = await kit.sql<{ raw: string }>(
    `SELECT convert_from(raw, 'UTF8') AS raw FROM event_variant ORDER BY id`,
  );
  expect(variants.map(({ raw }) => /second|third/.exec(raw)?.[0])).toEqual(['second', 'third']);
});

it('keeps the order of arrival inside a group although the rows are sorted by key', async () => {
  await kit.store(hi('m9'), hi('m1'), hi('m5'));
  expect(await ids()).toEqual(['m9', 'm1', 'm5']);
  await kit.route();
  await kit.pass(POLICY.windowMs);
  const turn = await kit.claimOne();
  expect(turn.messages.map((said) => said.externalId)).toEqual(['m9', 'm1', 'm5']);
});

it('two processes that store the same webhooks in opposite orders never deadlock', async () => {
  for (let round = 0; round < 15; round++) {
    const group = Array.from({ length: 120 }, (_, n) => hi(`r${round}-${n}`));
    const [one, other] = await Promise.all(
      [group, group.toReversed()].map((events, n) =>
        storeEvents(kit.pools[n]!, events, { process: `p${n}`, group: round }),
      ),
    );
    expect(one!.fresh + other!.fresh).toBe(120);
    expect(one!.duplicates + other!.duplicates).toBe(120);
  }
  const { deadlocks } = await kit.row<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(Number(deadlocks)).toBe(0);
});

it.each([
  ['a NUL in the id', { externalId: 'm\0id' }],
  ['what is put between rows in the id', { externalId: 'm\u001fid' }],
  ['what is put between rows in the account', { accountKey: 'whatsapp:1\u001f2' }],
  ['what is put between rows in the content', { parsed: '{"kind":"message","text":"\u001f"}' }],
  ['a NUL in the content', { parsed: '{"kind":"message","text":"\\u0000"}' }],
  ['half a character', { parsed: '{"kind":"message","text":"\\ud800"}' }],
  ['a number that no column holds', { parsed: '{"kind":"message","text":1e999999}' }],
  ['no JSON at all', { parsed: '{"kind":' }],
  ['a time beyond all times', { providerAt: 1e300 }],
])('finds the one row with %s among 100 neighbours and keeps it for a person', async (_, poison) => {
  const neighbours = Array.from({ length: 100 }, (_row, n) => hi(`n${n}`));
  const bytes = 'the item as it came';
  const bad = { ...hi('poison'), ...poison, raw: bytes };
  const stored = await kit.store(...neighbours.slice(0, 57), bad, ...neighbours.slice(57));
  expect(stored).toEqual({ fresh: 101, toRoute: 101, duplicates: 0, isolated: 1 });
  expect(
    await kit.row(`SELECT convert_from(raw, 'UTF8') AS raw, account_id::text AS account, arrival_index AS index FROM event
      WHERE kind = 'unreadable'`),
  ).toEqual({ raw: bytes, account: '1', index: 57 });
  // The channel sends it again: still one row.
  expect(await kit.store(bad)).toMatchObject({ fresh: 0, duplicates: 1, isolated: 1 });
  await kit.route();
  expect(await kit.sql('SELECT FROM event WHERE outcome IS NULL AND batch_id IS NOT NULL')).toHaveLength(100);
  expect(await kit.openCases()).toEqual([expect.stringMatching(/^unreadable event:/)]);
});

it('several poison rows in one group: each is found', async () => {
  const events = Array.from({ length: 40 }, (_, n) => ({ ...hi(`n${n}`), ...(n % 13 === 5 ? { parsed: '"' } : {}) }));
  expect(await kit.store(...events)).toEqual({ fresh: 40, toRoute: 40, duplicates: 0, isolated: 3 });
});

it('an error that is not the data rejects, and stores nothing', async () => {
  await kit.sql('ALTER TABLE event RENAME TO event_away');
  try {
    await expect(kit.store(hi('m1'))).rejects.toThrow();
  } finally {
    await kit.sql('ALTER TABLE event_away RENAME TO event');
  }
  expect(await ids()).toEqual([]);
});

it('events of strangers are final on arrival', async () => {
  const stranger = { accountKey: 'whatsapp:77', accountId: null, ignored: 'unknown-account' } as const;
  expect(await kit.store({ ...hi('m1'), ...stranger }, hi('m2'))).toMatchObject({ fresh: 2, toRoute: 1 });
  expect(await kit.outcomes()).toEqual({ m1: 'ignored unknown-account', m2: 'open' });
  expect((await kit.route()).taken).toBe(1);
});

it('bytes that are no text come back as they were, and arrival is the database’s time', async () => {
  const bytes = Buffer.from([0xff, 0x00, 0xfe]);
  await kit.pass(HOUR);
  const before = await kit.now();
  await kit.store({ ...event({ kind: 'unreadable', why: 'spec' }), raw: bytes.toString('base64'), rawIsBase64: true });
  const row = await kit.row<{ raw: Buffer; at: number }>('SELECT raw, epoch_ms(arrived_at) AS at FROM event');
  expect(row.raw.equals(bytes)).toBe(true);
  expect(row.at).toBeGreaterThanOrEqual(before);
  expect(row.at).toBeLessThanOrEqual(await kit.now());
});
