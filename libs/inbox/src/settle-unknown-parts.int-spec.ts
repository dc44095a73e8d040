import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { GAP_MS, InboxKit, POLICY, SEND_LEASE_MS } from '../specs/inbox-kit.js';
import { settleUnknownParts } from './settle-unknown-parts.js';

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
const lost = { kind: 'unknown', error: { code: 'reset', message: 'connection reset' } } as const;

it('a part under a lease that ran out is unknown, never pending; while it holds it is left alone', async () => {
  const [id] = await kit.reply(ana, 'one', 'two');
  await kit.claimPart();
  await kit.pass(SEND_LEASE_MS - 15_000);
  expect(await kit.sweepUnknown()).toEqual({ lapsed: [], resent: 0, reviews: [] });
  await kit.pass(15_000);
  expect(await kit.sweepUnknown()).toMatchObject({ lapsed: [{ id }], resent: 0, reviews: [] });
  expect(await kit.states('part')).toEqual(['unknown', 'pending']);
  await kit.pass(GAP_MS);
  expect((await kit.claimParts()).parts).toEqual([]);
  // Seen once.
  expect(await kit.sweepUnknown()).toEqual({ lapsed: [], resent: 0, reviews: [] });
});

it('after the wait without evidence a person is asked, who is warned, and the rest is held', async () => {
  const [id] = await kit.reply(ana, 'one', 'two');
  await kit.settle(await kit.claimPart(), lost);
  await kit.pass(POLICY.unknownWaitMs - 30_000);
  expect((await kit.sweepUnknown()).reviews).toEqual([]);
  await kit.pass(30_000);
  expect((await kit.sweepUnknown()).reviews).toMatchObject([{ reason: 'unknown-send', subject: `part:${id}` }]);
  expect(await kit.states('part')).toEqual(['unknown', 'held']);
  expect(await kit.row('SELECT detail, draft, part_id::text AS part FROM review')).toEqual({
    detail: expect.stringMatching(/^0 of 2 .*may or may not have it \(connection reset\).*second copy/),
    draft: 'one\n\ntwo',
    part: id,
  });
  expect((await kit.sweepUnknown()).reviews).toEqual([]);
});

it('where the account says so it is sent again, as long as there are attempts left', async () => {
  await kit.sql(`UPDATE account SET policy = '{"unknownSend": "resend"}' WHERE id = 1`);
  await kit.accounts.refresh(true);
  await kit.reply(ana, 'Hello');
  for (let attempt = 1; attempt <= POLICY.maxAttempts; attempt++) {
    const claimed = await kit.claimPart();
    expect(claimed).toMatchObject({ attempt, tracker: expect.stringMatching(`:${attempt}$`) });
    await kit.settle(claimed, lost);
    await kit.pass(POLICY.unknownWaitMs);
    const last = attempt === POLICY.maxAttempts;
    expect(await kit.sweepUnknown()).toMatchObject({ resent: last ? 0 : 1, reviews: last ? [{}] : [] });
  }
  expect(await kit.states('part')).toEqual(['unknown']);
});

it('several janitors at once: each part is handled once', async () => {
  const people = Array.from({ length: 12 }, (_, n) => ({ phone: `1555010${1000 + n}` }));
  for (const from of people) {
    await kit.reply(from, 'Hello');
    await kit.claimPart();
  }
  await kit.pass(SEND_LEASE_MS);
  const sweep = async () =>
    Promise.all([...kit.pools, ...kit.pools].map((db) => settleUnknownParts(db, kit.accounts, kit.policy, 5)));
  const lapsed: string[] = [];
  const cases: string[] = [];
  for (let n = 0; n < 6; n++) for (const one of await sweep()) lapsed.push(...one.lapsed.map(({ id }) => id));
  expect(lapsed.sort()).toEqual([...new Set(lapsed)]);
  expect(lapsed).toHaveLength(12);
  await kit.pass(POLICY.unknownWaitMs);
  for (let n = 0; n < 6; n++) for (const one of await sweep()) cases.push(...one.reviews.map(({ subject }) => subject));
  expect(cases).toHaveLength(12);
});
