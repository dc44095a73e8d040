/**
 * When a burst is expected to be answered: quiet time after its last message, at most the cap after its first.
 * An estimate: the page does not know what else the business's side waits for.
 */
export class Countdown {
  first = null;
  last = null;

  /** The customer wrote at `now` (epoch ms). */
  wrote(now) {
    this.first ??= now;
    this.last = now;
  }

  /** The business began to work on it, or answered. */
  ended() {
    this.first = null;
    this.last = null;
  }

  /** `{leftMs, part}` at `now`, with part from 0 to 1; null when nothing is awaited. */
  at(now, { windowMs, maxWaitMs }) {
    if (this.first === null) return null;
    const due = Math.min(this.last + windowMs, this.first + maxWaitMs);
    const span = Math.max(1, due - this.first);
    return { leftMs: Math.max(0, due - now), part: Math.min(1, Math.max(0, (now - this.first) / span)) };
  }
}
