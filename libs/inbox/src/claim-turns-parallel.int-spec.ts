import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { accepted, InboxKit, LEASE_MS, POLICY } from '../specs/inbox-kit.js';
import { message } from '../specs/new-events.js';
import type { ClaimedTurn } from './claim-turns.js';

let database: TestDatabase;
let kit: InboxKit;

beforeAll(async () => {
  database = await testDatabase();
  kit = await InboxKit.open(database.url, shiftDatabaseClock, 3);
  kit.policy = { ...POLICY, windowMs: 0, maxWaitMs: 0, maxAttempts: 1000 };
});
afterAll(async () => {
  await kit.close();
  await database.drop();
});

const PEOPLE = 6;
const ROUNDS = 20;
const person = (n: number) => ({ phone: `1555010${1000 + n}` });

/** Eight claimers of three processes at the same moment. */
async function claimEverywhere(): Promise<ClaimedTurn[]> {
  const claimers = Array.from({ length: 8 }, (_, n) => kit.claim(kit.pools[n % 3], `holder ${n}`, 4));
  return (await Promise.all(claimers)).flatMap(({ turns }) => turns);
}

it('never two turns of one conversation, and no message in two turns or in none', async () => {
  const answered: string[] = [];
  let running = new Map<string, ClaimedTurn>();
  let said = 0;
  const step = async (last: boolean): Promise<void> => {
    if (!last) {
      const texts = Array.from({ length: PEOPLE }, (_, n) => message('hi', person(n), { externalId: `m${said + n}` }));
      said += PEOPLE;
      await kit.store(...texts);
    }
    // Routing goes on beside the claims, as in life.
    const [claimed] = await Promise.all([claimEverywhere(), ...kit.pools.map((db) => kit.route(db, 3))]);
    for (const turn of claimed) {
      expect(running.has(turn.conversationId)).toBe(false);
      running.set(turn.conversationId, turn);
    }
    const ending = [...running.values()].filter((turn, n) => last || (n + said) % 3 > 0);
    for (const turn of ending) answered.push(...turn.messages.map((one) => one.externalId));
    await Promise.all(ending.map((turn, n) => kit.finish(turn, { kind: 'silent' }, kit.pools[n % 3])));
    running = new Map([...running].filter(([, turn]) => !ending.includes(turn)));
  };
  for (let round = 0; round < ROUNDS; round++) await step(false);
  await kit.route();
  for (let left = 4; left > 0; left--) await step(true);
  expect(answered).toHaveLength(said);
  expect(new Set(answered).size).toBe(said);
  expect(new Set(await kit.states('batch'))).toEqual(new Set(['silent']));
});

it('a lapsed lease is taken once', async () => {
  await kit.arrive(message('hi', person(100)));
  expect(await claimEverywhere()).toHaveLength(1);
  for (let attempt = 2; attempt <= 8; attempt++) {
    await kit.pass(LEASE_MS);
    expect(await claimEverywhere()).toMatchObject([{ attempt, fence: `${attempt}` }]);
  }
});

it('a part is claimed once', async () => {
  for (let round = 0; round < 10; round++) {
    const from = person(200 + round);
    await kit.arrive(message('hi', from));
    const [turn] = await claimEverywhere();
    await kit.finish(turn!, { kind: 'reply', parts: ['one', 'two'] });
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, n) => kit.claimParts(`holder ${n}`, kit.pools[n % 3]!)),
    );
    const parts = claims.flatMap((claim) => claim.parts);
    expect(parts.map(({ text }) => text)).toEqual(['one']);
    await kit.settle(parts[0]!, accepted(`w${round}`));
    await kit.sql(`UPDATE part SET state = 'held' WHERE state = 'pending'`);
  }
});
