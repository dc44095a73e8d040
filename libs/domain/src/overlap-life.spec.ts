import fc from 'fast-check';
import * as rules from '../specs/overlap-rules.js';
import type { OverlapRule } from '../specs/overlap-rules.js';
import type { Handling, Said, Script } from '../specs/overlap-words.js';
import { liveOverlaps } from '../specs/overlap-world.js';
import { STRATEGIES, type Strategy } from './overlap-policy.js';
import type { Policy } from './policy.js';

const ms = (max: number): fc.Arbitrary<number> => fc.nat({ max });

const policyOf = (strategy: Strategy): fc.Arbitrary<Policy> =>
  fc
    .record({
      windowMs: fc.oneof(fc.constant(0), ms(500)),
      beyondWindow: ms(1000),
      maxAttempts: fc.integer({ min: 1, max: 3 }),
      retryBaseMs: fc.constantFrom(50, 400),
      debounceMs: fc.oneof(fc.constant(0), ms(500)),
      maxQueueSize: fc.integer({ min: 1, max: 4 }),
      onQueueFull: fc.constantFrom('drop-oldest' as const, 'drop-newest' as const),
      queueEntryTtlMs: fc.constantFrom(50, 400, 90_000),
      maxConcurrent: fc.constantFrom(null, 1, 2, 3),
      maxRestarts: fc.nat({ max: 3 }),
      lockScope: fc.constantFrom('thread' as const, 'channel' as const),
    })
    .map(({ beyondWindow, ...rest }) => ({
      ...rest,
      ...{ strategy, maxWaitMs: rest.windowMs + beyondWindow, lateAfterMs: 900_000_000 },
      ...{ unknownWaitMs: 0, unknownSend: 'review' },
    }));

/** Gaps of 0 make ties; the skew of provider times reorders within a burst. */
const anyArrivals: fc.Arbitrary<Said[]> = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.constant(0), ms(60), ms(900)),
      chat: fc.constantFrom('c1', 'c2'),
      thread: fc.constantFrom('t1', 't1', 't2'),
      skew: fc.option(fc.integer({ min: -300, max: 200 })),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((messages) => {
    let arrivedAt = 0;
    return messages.map(({ gap, skew, ...where }, position) => {
      arrivedAt += gap;
      return { ...where, id: `m${position}`, position, arrivedAt, providerAt: skew === null ? null : arrivedAt + skew };
    });
  });

const anyHandling: fc.Arbitrary<Handling> = fc.record({
  ms: fc.oneof(fc.constant(0), ms(100), ms(1500)),
  end: fc.constantFrom('replies', 'replies', 'fails', 'dies'),
  effectMs: fc.option(ms(300)),
});

const scriptOf = (strategy: Strategy): fc.Arbitrary<Script> =>
  fc
    .record({
      policy: policyOf(strategy),
      leaseMs: fc.constantFrom(100, 700),
      tickMs: fc.constantFrom(1, 1, 50),
      arrivals: anyArrivals,
      handlings: fc.array(anyHandling, { minLength: 1, maxLength: 8 }),
    })
    .map(({ handlings, ...script }) => ({
      ...script,
      handling: ({ number, attempts }) => handlings[(number + attempts) % handlings.length] as Handling,
    }));

const lasting: Record<string, OverlapRule> = {
  'a message has one end, and one that its strategy allows': rules.oneAllowedEnd,
  'what is pending moves when the arrivals have stopped': rules.nothingIsStranded,
  'messages of a turn stand in the order in which they were said': rules.inOrderWithinTurns,
  'no turn overtakes what came before it': rules.inOrderAcrossTurns,
  'no more turns at once than the lock may have': rules.turnsAtOnce,
  'a turn is about one thread': rules.threadsDoNotMix,
  'no more messages wait than may': rules.sizesHold,
  'what expires is too old, and what is answered is not': rules.expiryHolds,
  'restarts are bounded by number and by the cap': rules.restartsAreBounded,
  'what a restart took back is answered': rules.interruptedAreAnswered,
  'an idle conversation answers at once': rules.idleMeansAtOnce,
};

it.each(STRATEGIES)('%s keeps every rule in any life', (strategy) => {
  const allRules = (script: Script): void => {
    const lived = liveOverlaps(script);
    const broken = Object.entries(lasting).flatMap(([name, rule]) =>
      rule(lived, script).map((what) => `${name}: ${what}`),
    );
    expect(broken).toEqual([]);
  };
  fc.assert(fc.property(scriptOf(strategy), allRules), { numRuns: 300 });
});
