import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { HOUR, InboxKit } from '../specs/inbox-kit.js';
import { message } from '../specs/new-events.js';

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

it('a batch with as many messages as it may hold is due at once, also when they came in two groups', async () => {
  const texts = Array.from({ length: 49 }, (_, at) => message(`m${at}`, ana));
  await kit.arrive(...texts);
  expect((await kit.claim()).turns).toEqual([]);
  await kit.arrive(message('the fiftieth', ana));
  expect((await kit.claimOne()).messages).toHaveLength(50);
});

it('a batch with as many characters as it may hold is due at once', async () => {
  await kit.arrive(message('x'.repeat(20_000), ana));
  expect((await kit.claimOne()).messages).toHaveLength(1);
});

describe('turns of one conversation in a day', () => {
  it('end in a case for a person beyond the limit, and begin again the next day', async () => {
    kit.maxTurnsPerDay = 2;
    for (const text of ['one', 'two']) await kit.finish(await kit.turn(text, ana), { kind: 'silent' });
    await kit.arrive(message('three', ana));
    await kit.pass(kit.policy.windowMs);
    const { turns, reviews } = await kit.claim();
    expect([turns.length, reviews.map((review) => review.reason)]).toEqual([0, ['turn-limit']]);
    expect(await kit.states('batch')).toEqual(['silent', 'silent', 'review']);

    await kit.pass(24 * HOUR);
    expect((await kit.turn('four', ana)).attempt).toBe(1);
  });

  it('do not count further attempts', async () => {
    kit.maxTurnsPerDay = 2;
    await kit.turn('one', ana);
    await kit.pass(HOUR / 4);
    kit.policy = { ...kit.policy, lateAfterMs: HOUR };
    await kit.finish(await kit.claimOne(), { kind: 'silent' });
    expect((await kit.turn('two', ana)).attempt).toBe(1);
  });
});
