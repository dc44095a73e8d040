import fc from 'fast-check';
import * as rules from '../specs/life-rules.js';
import type { Rule } from '../specs/life-rules.js';
import type { Attempt, Said, Script } from '../specs/life-words.js';
import { live } from '../specs/life.js';
import type { Policy } from './policy.js';

const ms = (max: number): fc.Arbitrary<number> => fc.nat({ max });

/** Short times beside long ones, so that turns, windows and leases overlap in every way. */
const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    windowMs: fc.oneof(fc.constant(0), ms(2000)),
    beyondWindow: ms(4000),
    lateAfterMs: fc.constantFrom(2000, 8000, 900_000),
    maxAttempts: fc.integer({ min: 1, max: 4 }),
    retryBaseMs: fc.constantFrom(50, 400),
  })
  .map(({ beyondWindow, ...policy }) => ({
    ...policy,
    maxWaitMs: policy.windowMs + beyondWindow,
    unknownWaitMs: 0,
    unknownSend: 'review',
  }));

/** Gaps of 0 make ties; provider times in whole seconds too, and their skew reorders, also into the future and far back. */
const anyArrivals: fc.Arbitrary<Said[]> = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.constant(0), ms(300), ms(4000)),
      person: fc.nat({ max: 2 }),
      skew: fc.option(fc.oneof(fc.integer({ min: -3000, max: 2000 }), fc.constant(-9000))),
      wholeSeconds: fc.boolean(),
      routing: fc.oneof(fc.constant(0), ms(100), ms(3000)),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((messages) => {
    let arrivedAt = 10_000;
    return messages.map(({ gap, person, skew, wholeSeconds, routing }, position) => {
      arrivedAt += gap;
      const exact = skew === null ? null : arrivedAt + skew;
      const providerAt = exact !== null && wholeSeconds ? Math.floor(exact / 1000) * 1000 : exact;
      return { person, position, arrivedAt, providerAt, routedAt: arrivedAt + routing };
    });
  });

const anyAttempt: fc.Arbitrary<Attempt> = fc.record({
  ms: fc.oneof(fc.constant(0), ms(500), ms(6000)),
  end: fc.constantFrom('replies', 'replies', 'fails', 'dies'),
  settleMs: fc.oneof(fc.constant(0), ms(2000)),
});

const anyScript: fc.Arbitrary<Script> = fc.record({
  policy: anyPolicy,
  slots: fc.integer({ min: 1, max: 3 }),
  tickMs: fc.constantFrom(50, 200, 1000),
  leaseMs: fc.constantFrom(100, 1000),
  arrivals: anyArrivals,
  attempts: fc.array(anyAttempt, { minLength: 1, maxLength: 8 }),
  wakeUps: fc.array(fc.integer({ min: 10_000, max: 40_000 }), { maxLength: 10 }),
});

const lasting: Record<string, Rule> = {
  'a message has one end': rules.everyMessageEndsOnce,
  'no message stands in two batches': rules.oneBatchPerMessage,
  'a conversation has one turn at a time': rules.oneTurnAtATime,
  'the slots are kept': rules.slotsAreKept,
  'a reply waits for the parts of the one before': rules.repliesWaitForEarlierParts,
  'messages stand in the order in which they were said, then in that of their arrival': rules.messagesInOrder,
  'a retry has the messages of the first attempt': rules.retriesKeepTheirMessages,
  'attempts are bounded and pause in between': rules.attemptsAreBounded,
  'a person is asked only after the last attempt': rules.failuresUseAllAttempts,
  'no turn starts before its window or its cap': rules.turnsAreNotEarly,
  'late messages go to a person, and only they': rules.lateMeansLate,
  'what is pending moves when the arrivals have stopped': rules.nothingStrands,
};

it('keeps every rule in any life', () => {
  const allRules = (script: Script): void => {
    const broken: string[] = [];
    const life = live(script, rules.noWaitBeyondTheCap(script.policy, broken));
    for (const [name, rule] of Object.entries(lasting)) {
      broken.push(...rule(life, script).map((what) => `${name}: ${what}`));
    }
    expect(broken).toEqual([]);
  };
  fc.assert(fc.property(anyScript, allRules), { numRuns: 300 });
});
