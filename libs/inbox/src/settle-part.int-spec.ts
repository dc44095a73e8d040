import type { ChannelError, SendResult } from '#domain';
import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { accepted, GAP_MS, InboxKit, POLICY, SEND_LEASE_MS } from '../specs/inbox-kit.js';
import { status } from '../specs/new-events.js';

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
const error: ChannelError = { code: '131000', message: 'Something went wrong' };
const retry = (scope: 'part' | 'person' | 'account', afterMs: number | null = null): SendResult => ({
  ...{ kind: 'retry', scope, afterMs, error },
});
const unknown: SendResult = { kind: 'unknown', error: { code: 'timeout', message: 'no answer' } };
const part = () =>
  kit.row(
    'SELECT state, reason, attempts, holder, provider_id AS w, copies, error_code AS code FROM part ORDER BY id LIMIT 1',
  );

/** Waits until the part may be tried again, and claims it. */
async function again(retryAt: number | null) {
  await kit.pass(Math.max(0, Math.ceil(retryAt! - (await kit.now()))) + 1);
  return kit.claimPart();
}

describe('accepted', () => {
  it('keeps the channel’s id and ends the lease', async () => {
    await kit.reply(ana, 'Hello');
    const settled = await kit.settle(await kit.claimPart(), accepted('w1'));
    expect(settled).toEqual({ state: 'accepted', reviews: [], retryAt: null, unparked: false });
    expect(await part()).toEqual({
      ...{ state: 'accepted', reason: null, attempts: 1, holder: null, w: 'w1', copies: 1, code: null },
    });
  });

  it('written down twice, because the first commit went unanswered, is one copy', async () => {
    await kit.reply(ana, 'Hello');
    const claimed = await kit.claimPart();
    await kit.settle(claimed, accepted('w1'));
    expect(await kit.settle(claimed, accepted('w1'))).toMatchObject({ state: 'accepted', reviews: [] });
    expect(await part()).toMatchObject({ copies: 1 });
  });

  it('told by a holder who has lost the part is evidence: nothing is sent again', async () => {
    await kit.reply(ana, 'one', 'two');
    const claimed = await kit.claimPart();
    await kit.pass(SEND_LEASE_MS);
    await kit.sweepUnknown();
    await kit.pass(POLICY.unknownWaitMs);
    await kit.sweepUnknown();
    expect(await kit.states('part')).toEqual(['unknown', 'held']);
    expect(await kit.settle(claimed, accepted('w1'))).toMatchObject({ state: 'accepted' });
    expect(await kit.states('part')).toEqual(['accepted', 'pending']);
    expect(await kit.openCases()).toEqual([]);
    expect((await kit.claimPart()).text).toBe('two');
  });

  it('told late while a second attempt is under way: one copy so far, two when that is accepted as well', async () => {
    kit.policy = { ...POLICY, unknownSend: 'resend' };
    const [id] = await kit.reply(ana, 'Hello');
    const first = await kit.claimPart();
    await kit.settle(first, unknown);
    await kit.pass(POLICY.unknownWaitMs);
    await kit.sweepUnknown();
    const second = await kit.claimPart();
    expect(second.fence).toBe('2');
    expect(await kit.settle(first, accepted('w1'))).toMatchObject({ state: 'accepted', reviews: [] });
    const settled = await kit.settle(second, accepted('w2'));
    expect(settled).toMatchObject({ reviews: [{ reason: 'two-copies', subject: `part:${id}` }] });
    expect(await part()).toMatchObject({ state: 'accepted', w: 'w1', copies: 2 });
  });
});

describe('refused for now', () => {
  it('is tried again with a growing pause, that part only, and fails for good with the last attempt', async () => {
    await kit.reply(ana, 'one', 'two', 'three');
    await kit.settle(await kit.claimPart(), accepted('w1'));
    await kit.pass(GAP_MS);
    let claimed = await kit.claimPart();
    for (const pause of [20_000, 40_000, 80_000]) {
      const before = await kit.now();
      const settled = await kit.settle(claimed, retry('part'));
      expect(settled.state).toBe('pending');
      expect(settled.retryAt! - before).toBeGreaterThanOrEqual(pause);
      expect(settled.retryAt! - (await kit.now())).toBeLessThanOrEqual(pause);
      claimed = await again(settled.retryAt);
      expect(claimed.text).toBe('two');
    }
    expect(claimed.attempt).toBe(4);
    const settled = await kit.settle(claimed, retry('part'));
    expect(settled).toMatchObject({ state: 'failed', reviews: [{ reason: 'send-failed' }] });
    expect(await kit.states('part')).toEqual(['accepted', 'failed', 'held']);
    expect(await kit.row('SELECT detail FROM review')).toEqual({
      detail: '1 of 3 parts delivered to the channel. Part 2: 131000 Something went wrong',
    });
  });

  it('for the person’s rate limit: 1, 4, 16 s', async () => {
    await kit.reply(ana, 'Hello');
    let claimed = await kit.claimPart();
    for (const pause of [1_000, 4_000, 16_000]) {
      const before = await kit.now();
      const { retryAt } = await kit.settle(claimed, retry('person'));
      expect(retryAt! - before).toBeGreaterThanOrEqual(pause);
      expect(retryAt! - (await kit.now())).toBeLessThanOrEqual(pause);
      claimed = await again(Math.max(retryAt!, before + GAP_MS));
    }
    expect(await kit.settle(claimed, retry('person'))).toMatchObject({ state: 'failed' });
  });

  it('for as long as the channel says', async () => {
    await kit.reply(ana, 'Hello');
    const before = await kit.now();
    const { retryAt } = await kit.settle(await kit.claimPart(), retry('part', 60_000));
    expect(retryAt! - before).toBeGreaterThanOrEqual(60_000);
  });

  it('for the account’s limit: the account waits, and the part keeps its attempts however often', async () => {
    await kit.reply(ana, 'Hello');
    for (let n = 0; n < POLICY.maxAttempts + 2; n++) {
      const claimed = await kit.claimPart();
      expect(claimed.attempt).toBe(1);
      const { retryAt } = await kit.settle(claimed, retry('account', 60_000));
      const { until } = await kit.row<{ until: number }>(
        'SELECT epoch_ms(backoff_until) AS until FROM account WHERE id = 1',
      );
      expect(until).toBe(retryAt);
      expect((await kit.claimParts()).parts).toEqual([]);
      await kit.pass(60_000);
    }
    expect(await part()).toMatchObject({ state: 'pending', attempts: 0 });
  });
});

it('not sent, because the lease was nearly over: pending at once, no attempt used', async () => {
  await kit.reply(ana, 'Hello');
  const claimed = await kit.claimPart();
  expect(await kit.settle(claimed, { kind: 'not-sent' })).toMatchObject({ state: 'pending', reviews: [] });
  expect(await part()).toMatchObject({ state: 'pending', attempts: 0, holder: null });
  await kit.pass(GAP_MS);
  expect(await kit.claimPart()).toMatchObject({ attempt: 1, fence: '2' });
});

it.each<[string, SendResult, string, string]>([
  ['refused for good', { kind: 'failed', error }, 'failed', 'send-failed batch:1'],
  ['outside the window', { kind: 'window-closed', error }, 'held', 'window-closed batch:1'],
])('%s: a case for a person, and the rest is held', async (_, result, state, review) => {
  await kit.reply(ana, 'one', 'two');
  expect(await kit.settle(await kit.claimPart(), result)).toMatchObject({ state });
  expect(await kit.states('part')).toEqual([state, 'held']);
  expect(await kit.openCases()).toEqual([review]);
});

it('refused because of the account: it is paused with one case, and every part keeps its place and attempts', async () => {
  await kit.reply(ana, 'one');
  await kit.reply({ phone: '15550100002' }, 'other');
  const { parts } = await kit.claimParts();
  expect(parts).toHaveLength(2);
  for (const claimed of parts) await kit.settle(claimed, { kind: 'channel-paused', error });
  expect(await kit.states('part')).toEqual(['pending', 'pending']);
  expect(await part()).toMatchObject({ attempts: 0 });
  expect(await kit.openCases()).toEqual(['channel-paused account:1']);
  expect(await kit.row('SELECT paused_reason AS why FROM account WHERE id = 1')).toEqual({
    why: '131000 Something went wrong',
  });
});

describe('a holder who has lost the part', () => {
  const stale: [string, SendResult][] = [
    ['failed', { kind: 'failed', error }],
    ['refused for now', retry('part')],
    ['unknown', unknown],
    ['outside the window', { kind: 'window-closed', error }],
  ];

  it.each(stale)('to the sweep changes nothing by telling: %s', async (_, result) => {
    await kit.reply(ana, 'Hello');
    const claimed = await kit.claimPart();
    await kit.pass(SEND_LEASE_MS);
    await kit.sweepUnknown();
    const before = await kit.row('SELECT to_jsonb(p) AS part FROM part p');
    expect(await kit.settle(claimed, result)).toEqual({ state: 'stale', reviews: [], retryAt: null, unparked: false });
    expect(await kit.row('SELECT to_jsonb(p) AS part FROM part p')).toEqual(before);
  });

  it.each(stale)('to evidence that was quicker changes nothing by telling: %s', async (_, result) => {
    await kit.reply(ana, 'Hello');
    const claimed = await kit.claimPart();
    await kit.arrive(status('delivered', { providerId: 'w1', tracker: claimed.tracker }));
    expect(await kit.settle(claimed, result)).toMatchObject({ state: 'stale', reviews: [] });
    expect(await part()).toMatchObject({ state: 'delivered', w: 'w1' });
    expect(await kit.openCases()).toEqual([]);
  });
});
