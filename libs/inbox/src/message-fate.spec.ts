import { fateOf, type FateFacts } from './message-fate.js';

const arrivedAt = new Date('2026-12-01T10:00:00Z');
const after = (ms: number): Date => new Date(arrivedAt.getTime() + ms);
const fate = (facts: Partial<FateFacts>): string =>
  fateOf({ arrivedAt, batchId: null, outcome: null, reason: null, outcomeAt: null, ...facts });

it.each<[Partial<FateFacts>, string]>([
  [{}, 'on its way'],
  [{ batchId: '12' }, 'waits in batch 12'],
  [{ batchId: '12', outcome: 'in_batch', outcomeAt: after(6000) }, 'waited 6 s, joined batch 12'],
  [{ batchId: '12', outcome: 'in_batch', outcomeAt: after(1540) }, 'waited 1.5 s, joined batch 12'],
  [{ batchId: '12', outcome: 'in_batch', outcomeAt: after(70_000) }, 'waited 70 s, joined batch 12'],
  [{ outcome: 'dropped', reason: 'queue-full', outcomeAt: after(0) }, 'dropped: queue full'],
  [{ outcome: 'dropped', reason: 'busy' }, 'dropped: busy'],
  [
    { outcome: 'superseded', reason: 'newer-message', outcomeAt: after(300) },
    'waited 300 ms, superseded: newer message',
  ],
  [{ outcome: 'ignored', reason: 'expired', outcomeAt: after(90_500) }, 'waited 91 s, expired'],
  [{ outcome: 'ignored', reason: 'own-echo' }, 'ignored: own echo'],
  [{ outcome: 'review', reason: 'late' }, 'for a person: late'],
  [{ outcome: 'human' }, 'with the person who has the conversation'],
  [{ outcome: 'applied', reason: 'takeover' }, 'applied: takeover'],
])('%j: %s', (facts, words) => {
  expect(fate(facts)).toBe(words);
});
