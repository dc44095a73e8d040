import { decideFailure, pairLimitPauseMs } from './retry.js';

const policy = { maxAttempts: 4, retryBaseMs: 5000 };

it.each([
  [1, { kind: 'retry', at: 1_005_000 }],
  [2, { kind: 'retry', at: 1_010_000 }],
  [3, { kind: 'retry', at: 1_020_000 }],
  [4, { kind: 'review' }],
  [5, { kind: 'review' }],
])('failure %d of 4', (attempts, decision) => {
  expect(decideFailure(attempts, policy, 1_000_000)).toEqual(decision);
});

it('asks a person at once when there is only one attempt', () => {
  expect(decideFailure(1, { ...policy, maxAttempts: 1 }, 0)).toEqual({ kind: 'review' });
});

it.each([
  [1, 1000],
  [2, 4000],
  [3, 16_000],
  [4, 64_000],
  [50, 64_000],
])('refusal %d for the pair limit pauses %d ms', (attempts, pause) => {
  expect(pairLimitPauseMs(attempts)).toBe(pause);
});
