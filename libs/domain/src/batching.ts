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

/** What a batch holds. `characters`: of the texts as the assistant is shown them. */
export interface BatchSize {
  messages: number;
  characters: number;
}

/** A batch that has become this large closes early: it is due with the message that filled it. */
export interface BatchBounds {
  maxMessages: number;
  maxCharacters: number;
}

/** The batch's times when `size` is what it holds with the message that arrived at `arrivedAt` (epoch ms). */
export function closeWhenFull(times: BatchTimes, size: BatchSize, bounds: BatchBounds, arrivedAt: number): BatchTimes {
  const full = size.messages >= bounds.maxMessages || size.characters >= bounds.maxCharacters;
  return full ? { ...times, dueAt: Math.min(times.dueAt, arrivedAt) } : times;
}
