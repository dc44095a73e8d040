import { setTimeout as delay } from 'node:timers/promises';

/** What a probe returns once it is done. */
export type Found<T> = Exclude<T, null | undefined | false>;

export interface EventuallyOptions {
  /** How long to go on trying, in ms (default 10,000). */
  timeoutMs?: number;
  /** Pause between two tries, in ms (default 20). */
  everyMs?: number;
}

/**
 * Polls until `probe` returns something other than undefined, null or false, and returns that. A probe that throws
 * counts as not yet, so an `expect` can stand in it before the `return true`.
 * @throws the last error of the probe, or one that says how long it waited.
 */
export async function eventually<T>(probe: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<Found<T>> {
  const { timeoutMs = 10_000, everyMs = 20 } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let failure: unknown;
    try {
      const value = await probe();
      if (value !== null && value !== false && value !== undefined) return value as Found<T>;
      failure = new Error(`still ${String(value)} after ${timeoutMs} ms`);
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) throw failure;
    await delay(everyMs);
  }
}
