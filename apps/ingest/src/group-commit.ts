/** Collects the events of all webhooks in flight and stores them together: one commit for many answers. */
import type { NewEvent } from '#inbox';
import { monotonicMs, TimeoutError } from '#process';

/** Rows and bytes of one statement; a larger group would keep the early webhooks waiting for the late ones. */
const MAX_ROWS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Two: while one waits for the disk the next is being sent. More would make the groups smaller. */
const GROUPS_IN_FLIGHT = 2;
/** Longest wait for a commit, ms; after it the channel is asked to come again (a copy is recognised). */
const COMMIT_MS = 10_000;

export type StoreGroup<T> = (events: NewEvent[]) => Promise<T>;

interface Waiting<T> {
  events: NewEvent[];
  bytes: number;
  /** On the monotonic clock, ms. */
  since: number;
  resolve: (stored: T) => void;
  reject: (error: unknown) => void;
}

export class GroupCommit<T> {
  private waiting: Waiting<T>[] = [];
  private inFlight = 0;
  private scheduled = false;
  /** Not answered yet, the oldest first. One timer watches over all: one for each would cost more than its webhook. */
  private readonly open = new Set<Waiting<T>>();
  private watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: StoreGroup<T>,
    private readonly longestMs = COMMIT_MS,
  ) {}

  /**
   * Resolves once the events are committed, with what the whole group came to; rejects when they are not, and with a
   * TimeoutError when that takes too long: they may be stored all the same.
   */
  add(events: NewEvent[], bytes: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const webhook = { events, bytes, since: monotonicMs(), resolve, reject };
      this.waiting.push(webhook);
      this.open.add(webhook);
      this.watch ??= setTimeout(() => this.rejectOverdue(), this.longestMs).unref();
      this.soon();
    });
  }

  /** Not at once: everything that was readable in this turn of the event loop goes together. */
  private soon(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.next();
    });
  }

  private rejectOverdue(): void {
    const now = monotonicMs();
    this.watch = undefined;
    for (const webhook of this.open) {
      const left = webhook.since + this.longestMs - now;
      if (left > 0) {
        this.watch = setTimeout(() => this.rejectOverdue(), left).unref();
        return;
      }
      this.open.delete(webhook);
      webhook.reject(new TimeoutError('the commit took too long'));
    }
  }

  private next(): void {
    while (this.inFlight < GROUPS_IN_FLIGHT && this.waiting.length > 0) void this.commit(this.takeGroup());
  }

  private takeGroup(): Waiting<T>[] {
    let rows = 0;
    let bytes = 0;
    let count = 0;
    for (const webhook of this.waiting) {
      rows += webhook.events.length;
      bytes += webhook.bytes;
      if (count > 0 && (rows > MAX_ROWS || bytes > MAX_BYTES)) break;
      count++;
    }
    return this.waiting.splice(0, count);
  }

  private async commit(group: Waiting<T>[]): Promise<void> {
    this.inFlight++;
    try {
      const stored = await this.store(group.flatMap((webhook) => webhook.events));
      for (const webhook of group) webhook.resolve(stored);
    } catch (error) {
      for (const webhook of group) webhook.reject(error);
    } finally {
      for (const webhook of group) this.open.delete(webhook);
      this.inFlight--;
      this.next();
    }
  }
}
