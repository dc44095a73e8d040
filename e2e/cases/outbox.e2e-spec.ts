/** B15 and B16: a part that fails, and a part whose answer is lost. */
import { eventually } from '#testing';
import { partsOf, reviewsOf } from '../harness/parts.js';
import type { Person } from '../harness/person.js';
import { sideBySide, type Case } from '../harness/side-by-side.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

const textsSent = async (person: Person): Promise<(string | null)[]> => (await person.sends()).map((call) => call.text);
const statesOf = async (world: World, person: Person): Promise<string[]> =>
  (await partsOf(world, person)).map((part) => part.state);
const untilStates = (world: World, person: Person, states: string[]): Promise<boolean> =>
  eventually(
    async () => {
      expect(await statesOf(world, person)).toEqual(states);
      return true;
    },
    { timeoutMs: 20_000, everyMs: 50 },
  );

/** Meta's "service unavailable": nothing was accepted. */
const unavailable = (person: Person, times: number | 'always') => ({
  kind: 'error',
  to: person.phone,
  textIncludes: 'two',
  code: 131016,
  http: 503,
  times,
});

const retriesThatPartOnly: Case = async (world) => {
  const person = world.person();
  person.willBeAnswered({ parts: ['one', 'two', 'three'] });
  await world.simulator.fault(unavailable(person, 2));
  await person.says('hi');
  await person.hears(3);
  expect(await textsSent(person)).toEqual(['one', 'two', 'two', 'two', 'three']);
  await untilStates(world, person, ['read', 'read', 'read']);
  const parts = await partsOf(world, person);
  const copies = await person.received();
  expect(parts.map((part) => part.providerId)).toEqual(copies.map((copy) => copy.id));
  expect(parts.map((part) => part.attempts)).toEqual([1, 3, 1]);
};

const givesUpAfterAllAttempts: Case = async (world) => {
  const person = world.person();
  person.willBeAnswered({ parts: ['one', 'two', 'three'] });
  await world.simulator.fault(unavailable(person, 'always'));
  await person.says('hi');
  const [review] = await eventually(
    async () => {
      const reviews = await reviewsOf(world, person);
      return reviews.length > 0 && reviews;
    },
    { timeoutMs: 20_000 },
  );
  expect(review).toMatchObject({
    reason: 'send-failed',
    detail: expect.stringMatching(/^1 of 3 /),
    draft: 'two\n\nthree',
  });
  expect(await textsSent(person)).toEqual(['one', 'two', 'two', 'two', 'two']);
  expect((await statesOf(world, person)).slice(1)).toEqual(['failed', 'held']);
};

/** Others are served while one person's part waits for its next attempt. */
const othersAreServedMeanwhile: Case = async (world) => {
  const [slow, other] = [world.person(), world.person()];
  slow.willBeAnswered({ parts: ['one', 'two', 'three'] });
  // A pause of 1 s after the first refusal, 4 s after the second.
  await world.simulator.fault({ kind: 'error', to: slow.phone, textIncludes: 'two', code: 131056, times: 2 });
  await slow.says('hi');
  await eventually(async () => (await textsSent(slow)).filter((text) => text === 'two').length === 2, {
    timeoutMs: 20_000,
  });
  await other.says('hi');
  await other.hears(1);
  expect(await slow.received()).toHaveLength(1);
  await slow.hears(3);
  expect(await textsSent(slow)).toEqual(['one', 'two', 'two', 'two', 'three']);
};

const isSettledByItsStatus: Case = async (world) => {
  const person = world.person();
  person.willBeAnswered({ parts: ['one', 'two'] });
  await world.simulator.fault({ kind: 'cut-after', to: person.phone, textIncludes: 'one' });
  await person.says('hi');
  await person.hears(2);
  expect(await textsSent(person)).toEqual(['one', 'two']);
  await untilStates(world, person, ['read', 'read']);
  expect((await partsOf(world, person)).map((part) => part.copies)).toEqual([1, 1]);
  expect((await reviewsOf(world, person)).filter((review) => review.state === 'open')).toEqual([]);
};

const isAPersonsCaseWithoutStatus: Case = async (world) => {
  const person = world.person();
  person.willBeAnswered({ parts: ['one', 'two'] });
  await world.simulator.fault({ kind: 'cut-after', to: person.phone, textIncludes: 'one', statuses: 'none' });
  await person.says('hi');
  await untilStates(world, person, ['unknown', 'held']);
  expect(await reviewsOf(world, person)).toMatchObject([{ reason: 'unknown-send', state: 'open' }]);
  expect(await textsSent(person)).toEqual(['one']);
};

/** The status comes when a person has been asked already. */
const isSettledByALateStatus: Case = async (world) => {
  const person = world.person();
  await world.simulator.fault({
    kind: 'cut-after',
    to: person.phone,
    statuses: [{ status: 'delivered', afterMs: 4_500 }],
  });
  await person.says('hi');
  await untilStates(world, person, ['unknown']);
  await eventually(async () => (await reviewsOf(world, person)).length === 1);
  await untilStates(world, person, ['delivered']);
  expect(await reviewsOf(world, person)).toMatchObject([
    { reason: 'unknown-send', state: 'resolved', action: 'evidence' },
  ]);
  expect(await person.received()).toHaveLength(1);
};

const senderIsKilled: Case = async (world) => {
  const [told, untold] = [world.person(), world.person()];
  for (const person of [told, untold]) {
    person.willBeAnswered({ parts: ['one', 'two'] });
    await world.simulator.fault({
      kind: 'latency',
      when: 'after',
      ms: 60_000,
      to: person.phone,
      textIncludes: 'one',
    });
  }
  await world.simulator.fault({ kind: 'statuses', to: untold.phone, textIncludes: 'one', statuses: 'none' });
  await Promise.all([told.says('hi'), untold.says('hi')]);
  await eventually(async () =>
    (await Promise.all([told.sends(), untold.sends()])).every((calls) => calls[0]?.accepted),
  );
  await world.only('responder').kill('SIGKILL');
  await world.start('responder');
  await told.hears(2);
  await untilStates(world, told, ['read', 'read']);
  await untilStates(world, untold, ['unknown', 'held']);
  expect(await reviewsOf(world, untold)).toMatchObject([{ reason: 'unknown-send', state: 'open' }]);
  expect(await textsSent(told)).toEqual(['one', 'two']);
  expect(await textsSent(untold)).toEqual(['one']);
};

describe.each(BACKENDS)('parts that do not get through, wake-ups over %s', (backend) => {
  sideBySide(
    () => startWorld({ backend, services: { console: 0 } }),
    {
      'B15: a refused part is tried again, its neighbours are not': retriesThatPartOnly,
      'B15: after the last attempt a person gets the rest': givesUpAfterAllAttempts,
      'B15: a rate limit of one person holds up nobody else': othersAreServedMeanwhile,
      'B16: accepted with the answer cut off, the status settles it and the rest follows': isSettledByItsStatus,
      'B16: accepted with the answer cut off and no status, a person decides': isAPersonsCaseWithoutStatus,
      'B16: a status that comes late closes the case': isSettledByALateStatus,
    },
    { afterwards: { 'B16: one copy when the sender is killed, with and without a status': senderIsKilled } },
  );
});
