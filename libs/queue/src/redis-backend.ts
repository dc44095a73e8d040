/** BullMQ on Redis. One connection for all queues of a service, two more per worker. */
import { Queue, Worker, type Processor } from 'bullmq';
import { Redis } from 'ioredis';
import type { Log } from '#process';
import { WORKER_OPTIONS, type AnyQueue, type AnyWorker, type QueueBackend } from './backend.js';
import { warnOfEviction } from './eviction-policy.js';
import type { QueueName } from './names.js';
import { Trouble } from './trouble.js';

const LONGEST_PAUSE_MS = 1000;

export class RedisBackend implements QueueBackend {
  readonly kind = 'redis';
  private readonly redis: Redis;
  private readonly trouble: Trouble;

  constructor(url: string, log: Log) {
    this.trouble = new Trouble(log, 'redis');
    this.redis = new Redis(url, {
      // Commands in flight wait for the connection to come back; there is never more than a handful of them.
      maxRetriesPerRequest: null,
      connectTimeout: 5000,
      retryStrategy: (times) => Math.min(times * 50, LONGEST_PAUSE_MS),
    });
    this.redis.on('error', (error) => this.trouble.report(error, 'connection'));
    this.redis.on('ready', () => {
      this.trouble.over();
      void warnOfEviction(this.redis, log);
    });
  }

  async prepare(): Promise<void> {}

  connected(): boolean {
    return this.redis.status === 'ready';
  }

  answered(): void {
    this.trouble.over();
  }

  createQueue(name: QueueName): AnyQueue {
    const queue = new Queue(name, { connection: this.redis });
    queue.on('error', (error) => this.trouble.report(error, name));
    return queue;
  }

  createWorker(name: QueueName, processor: Processor, concurrency: number): AnyWorker {
    const worker = new Worker(name, processor, { connection: this.redis, concurrency, ...WORKER_OPTIONS });
    worker.on('error', (error) => this.trouble.report(error, name));
    return worker;
  }

  async close(): Promise<void> {
    // Not quit(): that waits for an answer, which a Redis in trouble never gives.
    this.redis.disconnect();
  }
}
