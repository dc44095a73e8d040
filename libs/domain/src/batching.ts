/** When a batch is due: quiet for the window, and never later than the cap after its first message. */
import type { Policy } from './policy.js';

/** Arrival times in epoch ms. */
export interface BatchTimes {
  firstAt: number;
  lastAt: number;
  dueAt: number;
}

/**
 * The batch's times after one more message. Several batchers may route a burst out of order, so the first and the
 * last arrival are kept as minimum and maximum; `null` opens a batch.
 */
export function withMessage(
  times: BatchTimes | null,
  arrivedAt: number,
  policy: Pick<Policy, 'windowMs' | 'maxWaitMs'>,
): BatchTimes {
  const firstAt = times ? Math.min(times.firstAt, arrivedAt) : arrivedAt;
  const lastAt = times ? Math.max(times.lastAt, arrivedAt) : arrivedAt;
  return { firstAt, lastAt, dueAt: Math.min(lastAt + policy.windowMs, firstAt + policy.maxWaitMs) };
}

export function isDue(times: Pick<BatchTimes, 'dueAt'>, now: number): boolean {
  return times.dueAt <= now;
}
