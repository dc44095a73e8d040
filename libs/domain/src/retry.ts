import type { Policy } from './policy.js';

export type FailureDecision = { kind: 'retry'; at: number } | { kind: 'review' };

/** After the `attempts`-th failure: exponential backoff from the base, then a person. `now` epoch ms. */
export function decideFailure(
  attempts: number,
  policy: Pick<Policy, 'maxAttempts' | 'retryBaseMs'>,
  now: number,
): FailureDecision {
  if (attempts >= policy.maxAttempts) return { kind: 'review' };
  return { kind: 'retry', at: now + policy.retryBaseMs * 2 ** (attempts - 1) };
}

/**
 * Pause after the n-th refusal for one person's rate limit, in ms: 1, 4, 16, and never more than 64 s. The limit gives
 * back one message in 6 s, so a longer pause would only hold up the conversation, and n counts other failures, too.
 * Source: Meta's advice for code 131056, retry after 4^n seconds.
 */
export function pairLimitPauseMs(attempts: number): number {
  return 1000 * 4 ** Math.min(attempts - 1, 3);
}
