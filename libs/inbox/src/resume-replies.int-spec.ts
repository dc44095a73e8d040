import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { accepted, InboxKit, POLICY, SEND_LEASE_MS } from '../specs/inbox-kit.js';
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
const gone = { code: '131026', message: 'Message undeliverable' };

/** Sends the first part of a reply; no answer comes back, and a person has been asked. */
async function unknown(...parts: string[]): Promise<string[]> {
  const ids = await kit.reply(ana, ...parts);
  await kit.settle(await kit.claimPart(), { kind: 'unknown', error: { code: 'reset', message: 'connection reset' } });
  await kit.pass(POLICY.unknownWaitMs);
  await kit.sweepUnknown();
  expect(await kit.openCases()).toEqual([`unknown-send part:${ids[0]}`]);
  return ids;
}

describe('evidence for a part of unknown fate', () => {
  it('before anybody was asked: the part is sent and the next one follows', async () => {
    await kit.reply(ana, 'one', 'two');
    const part = await kit.claimPart();
    await kit.pass(SEND_LEASE_MS);
    await kit.sweepUnknown();
    expect(await kit.states('part')).toEqual(['unknown', 'pending']);
    await kit.arrive(status('sent', { providerId: 'w1', tracker: part.tracker }));
    expect(await kit.states('part')).toEqual(['sent', 'pending']);
    expect((await kit.claimPart()).text).toBe('two');
    expect(await kit.openCases()).toEqual([]);
  });

  it('by tracker after a person was asked: closes the case, and what was held behind it follows', async () => {
    const [id] = await unknown('one', 'two', 'three');
    expect(await kit.states('part')).toEqual(['unknown', 'held', 'held']);
    await kit.arrive(status('delivered', { providerId: 'w1', tracker: `part:${id}:1` }));
    expect(await kit.states('part')).toEqual(['delivered', 'pending', 'pending']);
    expect(await kit.openCases()).toEqual([]);
    expect(await kit.row('SELECT resolved_by AS by, action FROM review')).toEqual({
      by: 'oneturn',
      action: 'evidence',
    });
  });

  it.each([
    ['a person has the conversation', `UPDATE conversation SET taken_over_at = now()`],
    [
      'a later reply has been written',
      `INSERT INTO part (conversation_id, thread, reply, index, author, text, state, provider_id, created_at)
       VALUES (1, 'main', 999, 0, 'assistant', 'later', 'sent', 'w9', now())`,
    ],
  ])('while %s: the rest stays held, and its case open', async (_, change) => {
    const [id] = await unknown('one', 'two');
    await kit.sql(change);
    await kit.arrive(status('delivered', { providerId: 'w1', tracker: `part:${id}:1` }));
    expect((await kit.states('part')).slice(0, 2)).toEqual(['delivered', 'held']);
    expect(await kit.openCases()).toEqual([`unknown-send part:${id}`]);
  });

  it('after a person has dismissed the case: the rest stays held', async () => {
    const [id] = await unknown('one', 'two');
    await kit.sql(`UPDATE review SET state = 'resolved', action = 'dismiss'`);
    await kit.arrive(status('delivered', { providerId: 'w1', tracker: `part:${id}:1` }));
    expect(await kit.states('part')).toEqual(['delivered', 'held']);
  });

  it('that it failed: another case, about that', async () => {
    const [id] = await unknown('one', 'two');
    await kit.arrive(status('failed', { providerId: 'w1', tracker: `part:${id}:1`, error: gone }));
    expect(await kit.states('part')).toEqual(['failed', 'held']);
    expect(await kit.openCases()).toEqual([expect.stringMatching(/^send-failed batch:/)]);
  });
});

it('two copies: said once to a person, also when more statuses of both come in', async () => {
  kit.policy = { ...POLICY, unknownSend: 'resend' };
  const [id] = await kit.reply(ana, 'Hello');
  await kit.settle(await kit.claimPart(), { kind: 'unknown', error: { code: 'timeout', message: 'timeout' } });
  await kit.pass(POLICY.unknownWaitMs);
  await kit.sweepUnknown();
  await kit.settle(await kit.claimPart(), accepted('w2'));
  await kit.arrive(status('delivered', { providerId: 'w1', tracker: `part:${id}:1` }));
  expect(await kit.row('SELECT state, copies FROM part')).toEqual({ state: 'delivered', copies: 2 });
  expect(await kit.openCases()).toEqual([`two-copies part:${id}`]);
  await kit.sql(`UPDATE review SET state = 'resolved'`);
  await kit.arrive(
    status('failed', { providerId: 'w1', tracker: `part:${id}:1`, error: gone }),
    status('read', { providerId: 'w2', tracker: `part:${id}:2` }),
  );
  expect(await kit.row('SELECT state, copies FROM part')).toEqual({ state: 'read', copies: 2 });
  expect(await kit.openCases()).toEqual([]);
});
