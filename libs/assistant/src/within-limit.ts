/** The work did not settle in its time. Whether it had an effect is not known. */
export class LimitError extends Error {
  override readonly name = 'LimitError';
}

/**
 * Runs `work` for at most `limitMs` and no longer than `outer` allows. Returns at once in both cases, also when the
 * work ignores its signal: a tool that hangs must not hang the turn.
 * @throws LimitError after the time, the reason of `outer` when that was aborted, or what the work threw.
 */
export async function withinLimit<T>(
  what: string,
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted();
  const inner = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    const stop = (reason: unknown): void => {
      // The rejection comes first, so that the caller sees this reason and not the work's own AbortError.
      reject(reason);
      inner.abort(reason);
    };
    onAbort = () => stop(outer.reason);
    outer.addEventListener('abort', onAbort, { once: true });
    timer = setTimeout(() => stop(new LimitError(`${what} did not answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([stopped, work(inner.signal)]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', onAbort);
  }
}
