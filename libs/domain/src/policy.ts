import type { OverlapSettings } from './overlap-policy.js';

/** How an account wants its conversations handled. All durations in ms. What it says about overlaps has its defaults in `overlapOf`. */
export interface Policy extends OverlapSettings {
  /** Quiet time after the latest message before the turn starts. */
  windowMs: number;
  /** Longest wait, measured from the first message of the batch. */
  maxWaitMs: number;
  /** A message older than this is not answered by the assistant any more. */
  lateAfterMs: number;
  /** Turns per batch, and explicit refusals per part, before a person is asked. */
  maxAttempts: number;
  /** First pause after a failure; it doubles with each. */
  retryBaseMs: number;
  /** How long a part of unknown fate waits for evidence. */
  unknownWaitMs: number;
  /** What happens then: ask a person, or send again at the risk of a second copy. */
  unknownSend: 'review' | 'resend';
}

/** What an account's row may override. */
export type PolicyOverrides = Partial<
  Pick<Policy, 'windowMs' | 'maxWaitMs' | 'lateAfterMs' | 'unknownSend'> & OverlapSettings
>;

/** The account's own policy: the environment's, with the row's overrides. */
export function policyFor(base: Policy, overrides: PolicyOverrides): Policy {
  const merged = { ...base, ...overrides };
  return { ...merged, maxWaitMs: Math.max(merged.maxWaitMs, merged.windowMs) };
}
