/** Durations. The wall clock is never used for them: it jumps. */
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds on a clock that only moves forward; comparable within this process only. */
export function monotonicMs(): number {
  return performance.now();
}

export interface Deadline {
  /** Milliseconds left, never below 0. */
  remainingMs(): number;
  passed(): boolean;
}

/** A point `ms` milliseconds from now, on the monotonic clock. */
export function deadline(ms: number): Deadline {
  const at = monotonicMs() + ms;
  return {
    remainingMs: () => Math.max(0, at - monotonicMs()),
    passed: () => monotonicMs() >= at,
  };
}

/** Waits, or returns early (without an error) when the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  await wait(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/**
 * The promise's own outcome if it comes within `ms` milliseconds.
 * What it stands for goes on all the same: nothing is cancelled.
 * @throws TimeoutError otherwise.
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  ms: number,
  message = `took longer than ${ms} ms`,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(message)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the promise settled, well or badly, within `ms` milliseconds. Never throws. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return withTimeout(settled, ms).catch(() => false);
}
