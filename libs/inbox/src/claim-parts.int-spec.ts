import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { accepted, GAP_MS, HOUR, InboxKit, POLICY, SEND_LEASE_MS, TAKEOVER_MS } from '../specs/inbox-kit.js';
import { echo, message } from '../specs/new-events.js';
import { claimParts, readyParts } from './claim-parts.js';
import { takeOver } from './take-over.js';

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

const ana = { phone: '15550100001', user: 'US.ana1' };
const ben = { phone: '15550100002' };
const none = { parts: [], held: 0, reviews: [] };

it('marks the part as sending, under a lease and a fence, with the attempt and its tracker', async () => {
  const [id] = await kit.reply(ana, 'Hello');
  expect(await kit.claimPart()).toEqual({
    ...{ id, conversationId: '1', accountId: '1', batchId: '1', index: 0, text: 'Hello' },
    ...{ to: { kind: 'person', phone: ana.phone, userId: ana.user }, threadId: null },
    ...{ tracker: `part:${id}:1`, attempt: 1, fence: '1' },
  });
  expect(
    await kit.row('SELECT state, holder, tracker, epoch_ms(lease_until) - epoch_ms(sending_at) AS lease FROM part'),
  ).toEqual({ state: 'sending', holder: 'holder', tracker: `part:${id}:1`, lease: SEND_LEASE_MS });
  expect(await kit.claimParts()).toEqual(none);
});

it('answers in the thread of its batch', async () => {
  await kit.reply({ ...ana, thread: 'invoice' }, 'Hello');
  expect((await kit.claimPart()).threadId).toBe('invoice');
});

it('addresses a group by its id', async () => {
  await kit.reply({ ...ana, group: 'g1' }, 'Hello');
  expect((await kit.claimPart()).to).toEqual({ kind: 'group', id: 'g1' });
});

it('keeps the order within a reply and across replies; conversations do not wait for each other', async () => {
  await kit.reply(ana, 'a1', 'a2');
  await kit.reply(ben, 'b1');
  // A later reply to the same person, written while the first is on its way.
  await kit.sql(`INSERT INTO part (conversation_id, thread, reply, index, author, text, state, next_attempt_at, created_at)
    VALUES (1, 'main', nextval('reply_order'), 0, 'operator', 'a3', 'pending', now() - interval '1 h', now())`);
  const sent: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { parts } = await kit.claimParts();
    for (const part of parts) {
      sent.push(part.text);
      await kit.settle(part, accepted(`w-${part.text}`));
    }
    await kit.pass(GAP_MS);
  }
  expect(sent.filter((text) => text.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  expect(sent.indexOf('b1')).toBeLessThan(2);
});

it('keeps the order also when an earlier part has come back between our look and our lock', async () => {
  const [one, two] = await kit.reply(ana, 'one', 'two');
  const ready = [two!, one!].map((id) => ({ id, conversationId: '1', accountId: '1' }));
  const options = { holder: 'h', leaseMs: 1_000, gapMs: 0, serviceWindowMs: () => null };
  expect((await claimParts(kit.db, ready, options)).parts.map(({ text }) => text)).toEqual(['one']);
  expect((await claimParts(kit.db, ready, options)).parts).toEqual([]);
});

it('keeps two parts of a conversation apart by the gap', async () => {
  await kit.reply(ana, 'one', 'two');
  await kit.settle(await kit.claimPart(), accepted('w1'));
  expect(await kit.claimParts()).toEqual(none);
  await kit.pass(GAP_MS);
  expect((await kit.claimPart()).text).toBe('two');
});

it('a part whose fate is open holds back the rest', async () => {
  await kit.reply(ana, 'one', 'two');
  await kit.settle(await kit.claimPart(), { kind: 'unknown', error: { code: 'reset', message: 'reset' } });
  await kit.pass(GAP_MS);
  expect(await kit.claimParts()).toEqual(none);
});

describe('the service window', () => {
  /** The customer's last message was this long ago when the turn was claimed. */
  async function replyTo(agoMs: number, ...parts: string[]): Promise<void> {
    await kit.reply(ana, ...parts);
    await kit.sql(`UPDATE conversation SET last_inbound_at = oneturn_now() - $1 * interval '1 ms'`, [agoMs]);
  }

  it('closes before the first part: nothing is sent, and a person is told why', async () => {
    await replyTo(24 * HOUR - 60_000, 'one', 'two');
    await kit.pass(60_000);
    expect(await kit.claimParts()).toMatchObject({ parts: [], held: 1, reviews: [{ reason: 'window-closed' }] });
    expect(await kit.states('part')).toEqual(['held', 'held']);
    expect(await kit.row('SELECT subject, detail, draft FROM review')).toEqual({
      subject: 'batch:1',
      detail: expect.stringMatching(/^0 of 2 parts .*window has closed/),
      draft: 'one\n\ntwo',
    });
    // It blocks nothing: the next message opens the window again and is answered.
    await kit.reply(ana, 'later');
    expect((await kit.claimPart()).text).toBe('later');
  });

  it('closes between two parts: the second is held', async () => {
    await replyTo(24 * HOUR - 60_000, 'one', 'two');
    await kit.settle(await kit.claimPart(), accepted('w1'));
    await kit.pass(60_000);
    expect(await kit.claimParts()).toMatchObject({ parts: [], held: 1, reviews: [{ reason: 'window-closed' }] });
    expect(await kit.states('part')).toEqual(['accepted', 'held']);
    expect(await kit.row('SELECT detail, draft FROM review')).toEqual({
      detail: expect.stringMatching(/^1 of 2 parts delivered to the channel\. Part 2:/),
      draft: 'two',
    });
  });

  it('is open to its last seconds', async () => {
    await replyTo(24 * HOUR - 60_000, 'one');
    await kit.pass(30_000);
    expect((await kit.claimPart()).text).toBe('one');
  });

  it('is extended by what the customer says meanwhile', async () => {
    await replyTo(24 * HOUR - 60_000, 'one');
    await kit.arrive(message('still there?', ana));
    await kit.pass(60_000);
    expect((await kit.claimPart()).text).toBe('one');
  });
});

describe('a person', () => {
  it('takes over between two parts: the second is held, and shown in a case', async () => {
    await kit.reply(ana, 'one', 'two');
    await kit.settle(await kit.claimPart(), accepted('w1'));
    await takeOver(kit.db, '1', 'Ben', TAKEOVER_MS);
    await kit.pass(GAP_MS);
    expect(await kit.claimParts()).toEqual(none);
    expect(await kit.states('part')).toEqual(['accepted', 'held']);
    expect(await kit.openCases()).toEqual(['taken-over batch:1']);
  });

  it('takes over between our look and our lock: held, not sent', async () => {
    await kit.reply(ana, 'one');
    const ready = await readyParts(kit.db, 5);
    await kit.sql('UPDATE conversation SET taken_over_at = now()');
    const options = { holder: 'h', leaseMs: 1_000, gapMs: 0, serviceWindowMs: () => null };
    expect(await claimParts(kit.db, ready, options)).toMatchObject({ parts: [], held: 1 });
    expect(await kit.states('part')).toEqual(['held']);
  });

  it('takes over while a part is refused for now: it does not go out later', async () => {
    await kit.reply(ana, 'one');
    const part = await kit.claimPart();
    await kit.arrive(echo('Ben here', ana));
    const error = { code: '131000', message: 'try again' };
    await kit.settle(part, { kind: 'retry', scope: 'part', afterMs: null, error });
    await kit.pass(POLICY.retryBaseMs);
    expect(await kit.claimParts()).toMatchObject({ parts: [], held: 1, reviews: [{ reason: 'taken-over' }] });
    expect(await kit.states('part')).toEqual(['held']);
  });

  it('who has the conversation may write', async () => {
    await kit.reply(ana, 'one');
    await kit.sql(`UPDATE part SET author = 'operator'; UPDATE conversation SET taken_over_at = now()`);
    expect((await kit.claimPart()).text).toBe('one');
  });
});

describe('the account', () => {
  it.each([
    ['is paused', 'paused_at = now()', 'paused_at = NULL'],
    ['has to wait', `backoff_until = oneturn_now() + interval '1 h'`, 'backoff_until = oneturn_now()'],
  ])('%s: nothing of it is sent, another account is not held back', async (_, set, unset) => {
    await kit.reply(ana, 'one');
    await kit.reply(ben, 'other');
    await kit.sql('UPDATE conversation SET account_id = 2 WHERE id = 2');
    const ready = await readyParts(kit.db, 5);
    await kit.sql(`UPDATE account SET ${set} WHERE id = 1`);
    expect((await kit.claimParts()).parts.map(({ text }) => text)).toEqual(['other']);
    // Also when it was paused between our look and our lock.
    const options = { holder: 'h', leaseMs: 1_000, gapMs: 0, serviceWindowMs: () => null };
    expect(await claimParts(kit.db, ready, options)).toEqual(none);
    await kit.sql(`UPDATE account SET ${unset} WHERE id = 1`);
    expect((await kit.claimPart()).text).toBe('one');
  });
});

it('a part that was refused for now waits for its pause, and so does what follows it', async () => {
  await kit.reply(ana, 'one', 'two');
  const error = { code: '131000', message: 'try again' };
  await kit.settle(await kit.claimPart(), { kind: 'retry', scope: 'part', afterMs: 60_000, error });
  await kit.pass(30_000);
  expect(await kit.claimParts()).toEqual(none);
  await kit.pass(30_000);
  expect(await kit.claimPart()).toMatchObject({ text: 'one', attempt: 2, tracker: expect.stringMatching(/:2$/) });
});
