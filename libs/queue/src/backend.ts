/**
 * BullMQ's two backends behind one small interface; nothing outside this lib knows which one is in use.
 *
 * Queues and workers are made here and not by the module of @nestjs/bullmq: its explorer hands workers neither a
 * backend of their own (only the process-wide default would do) nor a bounded close, and it makes them while the
 * app boots, when a Postgres that is not up yet would leave them dead for good.
 */
import type { Processor, Queue, Worker } from 'bullmq';
import type { QueueName } from './names.js';

export type AnyQueue = Queue;
export type AnyWorker = Worker;

export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';

  /** Resolves once queues and workers may be made. Redis: at once, they connect by themselves. Rejects: try again. */
  prepare(): Promise<void>;

  /** Whether a command would be sent now rather than pile up in memory. */
  connected(): boolean;

  /** To be called when a command was answered: trouble, if there was any, is over. */
  answered(): void;

  createQueue(name: QueueName): AnyQueue;

  createWorker(name: QueueName, processor: Processor, concurrency: number): AnyWorker;

  /** After its queues and workers are closed. Never throws, never waits for an answer. */
  close(): Promise<void>;
}

/** What all workers have in common, in ms where not said otherwise. */
export const WORKER_OPTIONS = {
  // Handlers only ring or run one statement. A job whose process died blocks the next wake-up until it counts as
  // stalled, so that must not take the library's 30 s.
  lockDuration: 3000,
  stalledInterval: 2000,
  maxStalledCount: 10,
  // The library's 15 s would outlast most outages.
  runRetryDelay: 1000,
} as const;
