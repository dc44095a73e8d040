/** B21: the channel's 24 hours are judged when the bytes leave, part by part. */
import { eventually, shiftDatabaseClock } from '#testing';
import { checkInvariants } from '../harness/check-invariants.js';
import { partsOf, reviewsOf, type ReviewRow } from '../harness/parts.js';
import type { Person } from '../harness/person.js';
import { createGate } from '../harness/timing.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

describe('the service window closes', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      backend: BACKENDS[0] ?? 'postgres',
      services: { console: 0 },
      env: {
        // Nothing is late here, and no lease ends when the clocks jump by a minute.
        LATE_AFTER_MS: String(2 * DAY_MS),
        LEASE_MS: '600000',
        LEASE_RENEW_MS: '1000',
        SEND_TIMEOUT_MS: '120000',
      },
    });
  }, 120_000);
  afterAll(() => world?.close());

  /** Both clocks, ours and the channel's. */
  async function moveClocks(ms: number): Promise<void> {
    await shiftDatabaseClock(world.database.url, ms);
    await world.simulator.control('clock', { offsetMs: ms });
  }

  const onlyReview = (person: Person): Promise<ReviewRow | undefined> =>
    eventually(
      async () => {
        const reviews = await reviewsOf(world, person);
        return reviews.length === 1 && reviews[0];
      },
      { timeoutMs: 60_000 },
    );

  it('a, b: before the first part, and between two', async () => {
    const [before, between] = [world.person(), world.person()];
    const gate = createGate();
    before.willBeAnswered(async () => {
      await gate.opened;
      return { parts: ['one', 'two'] };
    });
    between.willBeAnswered({ parts: ['one', 'two'] });
    // Its first part is on its way while the clocks move, also when a busy machine is slow to move them.
    await world.simulator.fault({ kind: 'latency', when: 'after', ms: 12_000, to: between.phone, textIncludes: 'one' });
    const saidAt = Math.ceil((Date.now() - DAY_MS + MINUTE_MS / 2) / 1000);
    await Promise.all([before, between].map((person) => person.says('are you still there?', { at: saidAt })));
    await before.isAsked(1);
    await between.hears(1);
    await moveClocks(MINUTE_MS);
    gate.open();

    expect(await onlyReview(before)).toMatchObject({ reason: 'window-closed', draft: 'one\n\ntwo' });
    expect(await before.sends()).toEqual([]);
    expect(await onlyReview(between)).toMatchObject({
      reason: 'window-closed',
      detail: expect.stringMatching(/^1 of 2 .*template/),
      draft: 'two',
    });
    expect((await between.sends()).map((call) => call.text)).toEqual(['one']);
    await eventually(async () => {
      expect((await partsOf(world, before)).map((part) => part.state)).toEqual(['held', 'held']);
      expect((await partsOf(world, between)).map((part) => part.state)).toEqual(['read', 'held']);
      return true;
    });
  });

  it('opens again with a new message', async () => {
    const person = world.person('15550101000');
    await person.says('hello?');
    await person.hears(1);
    expect((await person.received()).map((copy) => copy.text)).toEqual(['You said: hello?']);
  });

  it('c: the channel accepts, and says afterwards that it was too late', async () => {
    const person = world.person();
    await world.simulator.fault({ kind: 'failed-later', to: person.phone, code: 131047 });
    await person.says('hi');
    expect(await onlyReview(person)).toMatchObject({
      reason: 'send-failed',
      detail: expect.stringContaining('131047'),
    });
    expect(await partsOf(world, person)).toMatchObject([{ state: 'failed' }]);
    expect(await person.sends()).toHaveLength(1);
    await person.says('hello?');
    await person.hears(2);
    await eventually(async () => (await partsOf(world, person))[1]?.state === 'read');
  });

  it('keeps the invariants', () => checkInvariants(world, { waits: false }), 60_000);
});
