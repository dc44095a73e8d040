/** The receiving ends of a service: one worker per queue it named, each with exactly one handler. */
import { DelayedError, type Job } from 'bullmq';
import { sleep, type Log } from '#process';
import type { AnyWorker, QueueBackend } from './backend.js';
import { closeWorker } from './close-bounded.js';
import type { QueueHandlers, QueueName, WindowJob } from './names.js';

/** A ring is a ring; windows each take a statement, so some at once. */
const CONCURRENCY: Record<QueueName, number> = { events: 1, turns: 1, deliveries: 1, windows: 10 };
const RETRY_MS = 1000;

export class Consumers {
  private readonly handlers: Partial<QueueHandlers> = {};
  private readonly workers = new Map<QueueName, AnyWorker>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly backend: QueueBackend,
    private readonly names: readonly QueueName[],
    private readonly log: Log,
  ) {}

  /**
   * To be called while the app boots, once for each queue that the service named.
   * @throws Error for a queue that it did not name, or that has a handler already.
   */
  consume<N extends QueueName>(name: N, handler: QueueHandlers[N]): void {
    if (!this.names.includes(name)) throw new Error(`this service does not consume the queue ${name}`);
    if (this.handlers[name]) throw new Error(`the queue ${name} has a handler already`);
    this.handlers[name] = handler;
  }

  /** @throws Error when a queue has no handler: its jobs would pile up unseen. */
  start(): void {
    const orphans = this.names.filter((name) => !this.handlers[name]);
    if (orphans.length > 0) throw new Error(`no handler for the queue ${orphans.join(', ')}`);
    for (const name of this.names) void this.keepWorker(name);
  }

  /** No further job is taken; waits a little for running ones. Bounded, never throws. */
  async stop(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort();
    const connected = this.backend.connected();
    await Promise.all([...this.workers.values()].map((worker) => closeWorker(worker, connected)));
  }

  /** On Postgres a worker whose first connection fails never recovers, so a new one is made until one lives. */
  private async keepWorker(name: QueueName): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.backend.prepare();
        if (this.stopping.signal.aborted) return;
        const worker = this.backend.createWorker(
          name,
          (job, token) => this.process(name, job, token),
          CONCURRENCY[name],
        );
        this.workers.set(name, worker);
        await worker.waitUntilReady();
        return;
      } catch (error) {
        this.log.debug({ err: error, queue: name }, 'a worker could not start');
        const dead = this.workers.get(name);
        this.workers.delete(name);
        if (dead) await closeWorker(dead, false);
        await sleep(RETRY_MS, this.stopping.signal);
      }
    }
  }

  private async process(name: QueueName, job: Job, token: string | undefined): Promise<void> {
    let rearmAt: number | undefined;
    try {
      if (name === 'windows') rearmAt = (await this.handlers.windows?.(job.data as WindowJob))?.rearmAt;
      else await this.handlers[name]?.();
    } catch (error) {
      // Not thrown on: the work is in the table, and a sweep that fails says so itself.
      this.log.error({ err: error, queue: name, job: job.id }, 'a wake-up failed');
    }
    if (rearmAt === undefined) return;
    // Moved and not added again: an add while the job is active is lost.
    await job.moveToDelayed(rearmAt, token);
    throw new DelayedError();
  }
}
