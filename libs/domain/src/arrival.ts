/** Order and lateness are judged by provider time, which a sender's clock may have wrong: it is clamped to arrival. */
export interface Arrival {
  /** Provider time, epoch ms, or null when the item had none. */
  providerAt: number | null;
  /** Database time of storing, epoch ms. */
  arrivedAt: number;
  /** Place in the stream of stored events: a database id that rises with each group, then within the group. */
  position: number;
}

/** When it was said, epoch ms: never later than it arrived. */
export function saidAt(arrival: Pick<Arrival, 'providerAt' | 'arrivedAt'>): number {
  return arrival.providerAt === null ? arrival.arrivedAt : Math.min(arrival.providerAt, arrival.arrivedAt);
}

/** Provider time, then arrival: WhatsApp's timestamps are whole seconds, so the messages of a burst often tie. */
export function byTimeSaid(a: Arrival, b: Arrival): number {
  return saidAt(a) - saidAt(b) || a.arrivedAt - b.arrivedAt || a.position - b.position;
}

/** Too old for the assistant to answer as if it had just been said. */
export function isLate(said: number, lateAfterMs: number, now: number): boolean {
  return now - said > lateAfterMs;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** An age as people say it, in its two largest units, rounded down; `ms` at least 0. */
export function ageInWords(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const units =
    days > 0 ? [`${days} d`, hours > 0 && `${hours} h`] : [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`];
  return units.filter(Boolean).join(' ') || 'less than a minute';
}
