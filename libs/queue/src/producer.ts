/** The sending end of one queue: there when it can be used, absent when not, never in the way. */
import { monotonicMs, type Log } from '#process';
import type { AnyQueue, QueueBackend } from './backend.js';
import { closeQueue } from './close-bounded.js';
import type { QueueName } from './names.js';

/** After a failure nobody tries again for this long: each try would wait for a timeout. */
const PAUSE_MS = 1000;

export class Producer {
  private queue: AnyQueue | undefined;
  private creating = false;
  private closed = false;
  private pausedUntil = -Infinity;

  constructor(
    private readonly backend: QueueBackend,
    readonly name: QueueName,
    private readonly log: Log,
  ) {
    this.create();
  }

  /** The queue, or null while an add would only wait. */
  usable(): AnyQueue | null {
    if (this.closed || monotonicMs() < this.pausedUntil) return null;
    if (!this.queue) this.create();
    return this.queue && this.backend.connected() ? this.queue : null;
  }

  succeeded(): void {
    this.backend.answered();
  }

  /** An add went wrong; the backend's own error events say why to people. */
  failed(error: unknown): void {
    this.pausedUntil = monotonicMs() + PAUSE_MS;
    this.log.debug({ err: error, queue: this.name }, 'a wake-up was not sent');
  }

  /** The queue to close, if there is one; no new one is made. */
  end(): AnyQueue | undefined {
    this.closed = true;
    return this.queue;
  }

  private create(): void {
    if (this.creating) return;
    this.creating = true;
    void this.backend
      .prepare()
      .then(() => {
        if (!this.closed && !this.queue) this.begin(this.backend.createQueue(this.name));
      })
      .catch((error: unknown) => this.failed(error))
      .finally(() => (this.creating = false));
  }

  /** On Postgres a queue whose first connection fails never recovers: the next use makes a new one. */
  private begin(queue: AnyQueue): void {
    this.queue = queue;
    queue.waitUntilReady().catch((error: unknown) => {
      if (this.closed || this.queue !== queue) return;
      this.queue = undefined;
      this.failed(error);
      void closeQueue(queue);
    });
  }
}
