/** BullMQ on the Postgres that holds everything else, in a schema of its own. */
import { createPostgresBackend, runMigrations, withBackend, type Processor } from 'bullmq';
import { Client, type ClientConfig } from 'pg';
import type { Log } from '#process';
import { WORKER_OPTIONS, type AnyQueue, type AnyWorker, type QueueBackend } from './backend.js';
import { checkConnectionBudget, POOL_MAX, type QueueUse } from './connection-budget.js';
import type { QueueName } from './names.js';
import { Trouble } from './trouble.js';

/** Keeps the library's tables apart from ours. */
export const QUEUE_SCHEMA = 'bullmq';
const CONNECT_MS = 5000;

// Not setDefaultBackendFactory: that would decide for everything else in the process.
const onPostgres = withBackend(createPostgresBackend);

/**
 * The library takes connections from its pool without listening to them. One that is reset while it is lent out fails
 * its query, which everybody hears, and emits the error as well: unheard, that would end the process.
 */
class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}

export class PostgresBackend implements QueueBackend {
  readonly kind = 'postgres';
  private readonly trouble: Trouble;
  private preparing: Promise<void> | undefined;
  private prepared = false;

  /** @param poolMax connections that the service opens for itself, for the connection budget. */
  constructor(
    private readonly url: string,
    private readonly use: QueueUse,
    private readonly poolMax: number,
    private readonly log: Log,
  ) {
    this.trouble = new Trouble(log, 'postgres');
  }

  /** Migrates the schema, once per process; several services may do so at once, the library takes a lock. */
  prepare(): Promise<void> {
    this.preparing ??= this.migrate().catch((error: unknown) => {
      this.preparing = undefined;
      this.trouble.report(error, 'migration');
      throw error;
    });
    return this.preparing;
  }

  connected(): boolean {
    return this.prepared;
  }

  answered(): void {
    this.trouble.over();
  }

  createQueue(name: QueueName): AnyQueue {
    const queue = new onPostgres.Queue(name, { connection: this.connection() });
    queue.on('error', (error) => this.trouble.report(error, name));
    // The classes differ in the type of the backend alone, which nobody here asks for.
    return queue as unknown as AnyQueue;
  }

  createWorker(name: QueueName, processor: Processor, concurrency: number): AnyWorker {
    const options = { connection: this.connection(), concurrency, ...WORKER_OPTIONS };
    const worker = new onPostgres.Worker(name, processor, options);
    worker.on('error', (error) => this.trouble.report(error, name));
    return worker as unknown as AnyWorker;
  }

  async close(): Promise<void> {}

  private connection() {
    return {
      connectionString: this.url,
      schema: QUEUE_SCHEMA,
      max: POOL_MAX,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      Client: HeardClient,
    };
  }

  private async migrate(): Promise<void> {
    const client = new Client({ connectionString: this.url, connectionTimeoutMillis: CONNECT_MS });
    // A server that goes away emits this as well as failing the query; unheard, it would end the process.
    client.on('error', (error) => this.trouble.report(error, 'migration'));
    try {
      await client.connect();
      await runMigrations(client, QUEUE_SCHEMA);
      await checkConnectionBudget(client, this.use, this.poolMax, this.log);
    } finally {
      await client.end().catch(() => undefined);
    }
    this.prepared = true;
    this.trouble.over();
  }
}
