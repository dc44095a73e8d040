/** The one connection pool of a process, and Prisma on it. */
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { Prisma, PrismaClient } from './generated/client.js';
import { isRetryable } from './sql-errors.js';

export interface DatabaseOptions {
  url: string;
  /** Most connections of this process. */
  poolMax: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Told of connections that die while idle; without a listener such an error would end the process. */
  onConnectionError?: (error: Error) => void;
}

/** A class, so that it is its own injection token. */
export abstract class Database {
  abstract readonly prisma: PrismaClient;
  abstract readonly pool: Pool;
  abstract close(): Promise<void>;
}

/** A Prisma client inside a transaction: what the steps of an operation are given. */
export type Tx = Prisma.TransactionClient;
/** Either: for single statements that need no transaction of their own. */
export type Queryable = Pick<PrismaClient, '$queryRaw' | '$executeRaw'>;

export function openDatabase(options: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolMax,
    application_name: options.applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // A frozen process must not keep a conversation locked, nor a lost statement a connection.
    options: '-c statement_timeout=30000 -c lock_timeout=15000 -c idle_in_transaction_session_timeout=15000',
  });
  pool.on('error', (error) => options.onConnectionError?.(error));
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: 10_000, timeout: 30_000 },
  });
  return {
    prisma,
    pool,
    async close() {
      await prisma.$disconnect();
      await pool.end().catch(() => undefined);
    },
  };
}

const MAX_TRIES = 4;

/**
 * Runs `steps` in one READ COMMITTED transaction. Every operation locks in one order (conversations by id, then batch,
 * then part), so a deadlock or serialization failure is rare and worth another try; everything else is thrown.
 */
export async function inTransaction<T>(db: Database, steps: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.prisma.$transaction(steps);
    } catch (error) {
      if (attempt >= MAX_TRIES || !isRetryable(error)) throw error;
    }
  }
}
