/** Collects the events of all webhooks in flight and stores them together: one commit for many answers. */
import type { NewEvent } from '#inbox';

/** Rows and bytes of one statement; a larger group would keep the early webhooks waiting for the late ones. */
const MAX_ROWS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Two: while one waits for the disk the next is being sent. More would make the groups smaller. */
const GROUPS_IN_FLIGHT = 2;

export type StoreGroup<T> = (events: NewEvent[]) => Promise<T>;

interface Waiting<T> {
  events: NewEvent[];
  bytes: number;
  resolve: (stored: T) => void;
  reject: (error: unknown) => void;
}

export class GroupCommit<T> {
  private waiting: Waiting<T>[] = [];
  private inFlight = 0;

  constructor(private readonly store: StoreGroup<T>) {}

  /** Resolves once the events are committed, with what the whole group came to; rejects when they are not. */
  add(events: NewEvent[], bytes: number): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ events, bytes, resolve, reject });
      this.next();
    });
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
      this.inFlight--;
      this.next();
    }
  }
}
