import { policyFor, type Policy, type PolicyOverrides } from './policy.js';

const base: Policy = {
  ...{ windowMs: 20_000, maxWaitMs: 60_000, lateAfterMs: 900_000, maxAttempts: 4, retryBaseMs: 5000 },
  ...{ unknownWaitMs: 30_000, unknownSend: 'review' },
};

it.each<[string, PolicyOverrides, Partial<Policy>]>([
  ['nothing', {}, {}],
  ['its window', { windowMs: 5000 }, { windowMs: 5000 }],
  ['no window', { windowMs: 0 }, { windowMs: 0 }],
  [
    'all it may',
    { windowMs: 1, maxWaitMs: 2, lateAfterMs: 3, unknownSend: 'resend' },
    { windowMs: 1, maxWaitMs: 2, lateAfterMs: 3, unknownSend: 'resend' },
  ],
  ['a window beyond the cap: the cap gives way', { windowMs: 90_000 }, { windowMs: 90_000, maxWaitMs: 90_000 }],
  ['a cap below the window: the same', { maxWaitMs: 1000 }, { maxWaitMs: 20_000 }],
])('an account overrides %s', (_, overrides, changed) => {
  expect(policyFor(base, overrides)).toEqual({ ...base, ...changed });
});
