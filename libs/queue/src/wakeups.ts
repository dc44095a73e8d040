/** Wake-ups: "look now". Sent after the commit, coalesced, and dropped without regret when they cannot be sent. */
import { monotonicMs, type Log } from '#process';
import type { QueueBackend } from './backend.js';
import { closeQueue } from './close-bounded.js';
import type { WakeupQueue } from './names.js';
import { Producer } from './producer.js';

/** The first wake-up goes at once; those of the same kind that follow within this time are one. */
const COALESCE_MS = 20;

const JOB_OPTIONS = {
  // A kept finished job would swallow the next add under the same id.
  removeOnComplete: true,
  removeOnFail: true,
};

interface Bell {
  producer: Producer;
  timer: NodeJS.Timeout | undefined;
  /** On the monotonic clock, ms. */
  sentAt: number;
  inFlight: boolean;
  rung: boolean;
}

export type WakeupOutcome = 'sent' | 'dropped' | 'failed';

export class Wakeups {
  private readonly bells: ReadonlyMap<WakeupQueue, Bell>;

  /** @param count is told what became of each wake-up, for metrics. */
  constructor(
    backend: QueueBackend,
    names: readonly WakeupQueue[],
    log: Log,
    private readonly count: (name: WakeupQueue, outcome: WakeupOutcome) => void = () => undefined,
  ) {
    this.bells = new Map(
      names.map((name) => [
        name,
        {
          producer: new Producer(backend, name, log),
          timer: undefined,
          sentAt: -Infinity,
          inFlight: false,
          rung: false,
        },
      ]),
    );
  }

  /**
   * Never throws, never waits, costs nothing to call often.
   * @throws Error only for a queue that this service did not say it produces for: a mistake in its module.
   */
  wake(name: WakeupQueue): void {
    const bell = this.bells.get(name);
    if (!bell) throw new Error(`this service does not produce for the queue ${name}`);
    bell.rung = true;
    if (bell.inFlight) return;
    bell.timer ??= setTimeout(() => this.send(name, bell), Math.max(0, bell.sentAt + COALESCE_MS - monotonicMs()));
  }

  /** Bounded; wake-ups that were not sent yet are dropped. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.bells.values()].map(async (bell) => {
        clearTimeout(bell.timer);
        await closeQueue(bell.producer.end());
      }),
    );
  }

  private send(name: WakeupQueue, bell: Bell): void {
    bell.timer = undefined;
    bell.rung = false;
    bell.sentAt = monotonicMs();
    const queue = bell.producer.usable();
    if (!queue) return this.count(name, 'dropped');
    // At most one in flight: while Redis is away an add waits for it, and thousands would fill the memory.
    bell.inFlight = true;
    void queue
      .add('wake', {}, { ...JOB_OPTIONS, deduplication: { id: 'wake', keepLastIfActive: true } })
      .then(() => {
        bell.producer.succeeded();
        this.count(name, 'sent');
      })
      .catch((error: unknown) => {
        bell.producer.failed(error);
        this.count(name, 'failed');
      })
      .finally(() => {
        bell.inFlight = false;
        if (bell.rung) this.wake(name);
      });
  }
}
