import type { Arrival } from './arrival.js';
import { decideClaim, type ClaimFacts } from './claim.js';
import type { Policy } from './policy.js';

const policy: Policy = {
  ...{ windowMs: 2000, maxWaitMs: 6000, lateAfterMs: 900_000, maxAttempts: 4, retryBaseMs: 5000 },
  ...{ unknownWaitMs: 30_000, unknownSend: 'review' },
};
const now = 10_000_000;
const said = (position: number, ago: number): Arrival => ({ position, providerAt: now - ago, arrivedAt: now - ago });
const fresh = said(1, 3000);
const late = said(2, 900_001);
const ready: ClaimFacts = {
  ...{ state: 'collecting', readyAt: now, attempts: 0, messages: [fresh] },
  ...{ takenOver: false, otherTurn: false, earlierUnsettled: false },
};
const decide = (facts: Partial<ClaimFacts>): ReturnType<typeof decideClaim> =>
  decideClaim({ ...ready, ...facts }, policy, now);

it.each<[string, Partial<ClaimFacts>, string]>([
  ['a person has the conversation', { takenOver: true }, 'taken-over'],
  ['its time comes in a millisecond', { readyAt: now + 1 }, 'not-ready'],
  ['the lease of its holder lasts a millisecond longer', { state: 'running', readyAt: now + 1 }, 'not-ready'],
  ['another turn of the conversation is open', { otherTurn: true }, 'other-turn'],
  ['earlier parts are unsettled', { earlierUnsettled: true }, 'earlier-parts'],
])('refuses when %s', (_, facts, why) => {
  expect(decide(facts)).toEqual({ kind: 'refuse', why });
});

it.each<[string, Partial<ClaimFacts>]>([
  ['the batch has used its attempts up', { attempts: 4 }],
  ['all its messages are late', { messages: [late] }],
  ['nothing is left in it', { messages: [] }],
])('refuses before it judges: a person has the conversation, and %s', (_, facts) => {
  expect(decide({ ...facts, takenOver: true })).toEqual({ kind: 'refuse', why: 'taken-over' });
  expect(decide({ ...facts, otherTurn: true })).toEqual({ kind: 'refuse', why: 'other-turn' });
});

it.each<[string, Partial<ClaimFacts>, ReturnType<typeof decideClaim>]>([
  ['a batch that is due this very moment', {}, { kind: 'claim', late: [] }],
  ['a retry with one attempt left', { state: 'retry_wait', attempts: 3 }, { kind: 'claim', late: [] }],
  ['a lapsed turn with one attempt left', { state: 'running', attempts: 3 }, { kind: 'claim', late: [] }],
  ['a lapsed turn that was the last attempt', { state: 'running', attempts: 4 }, { kind: 'exhausted' }],
  ['the last turn of the day', { turnsLeft: 1 }, { kind: 'claim', late: [] }],
  ['one turn too many in a day', { turnsLeft: 0 }, { kind: 'over-limit' }],
  ['a retry on a day that is used up', { state: 'retry_wait', turnsLeft: 0 }, { kind: 'claim', late: [] }],
  ['a batch whose messages are gone', { messages: [] }, { kind: 'empty' }],
  ['late beside fresh ones: only these are answered', { messages: [fresh, late] }, { kind: 'claim', late: [2] }],
  ['only late ones', { messages: [late, said(3, 1_000_000)] }, { kind: 'late' }],
  ['as old as allowed', { messages: [said(4, 900_000)] }, { kind: 'claim', late: [] }],
  [
    'a retry keeps what its journal answers to',
    { state: 'retry_wait', messages: [fresh, late] },
    { kind: 'claim', late: [] },
  ],
  ['so does a lapsed turn', { state: 'running', messages: [fresh, late] }, { kind: 'claim', late: [] }],
  ['a retry that has grown late as a whole', { state: 'retry_wait', messages: [late] }, { kind: 'late' }],
])('%s', (_, facts, decision) => {
  expect(decide(facts)).toEqual(decision);
});
