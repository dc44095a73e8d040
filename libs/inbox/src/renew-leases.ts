/** Renews the leases of a process's running turns, all in one statement. */
import type { Database } from './database.js';

export interface HeldTurn {
  batchId: string;
  fence: string;
}

/** Resolves to the batch ids that are still ours; the others have been taken, finished or taken over. */
export async function renewLeases(db: Database, held: HeldTurn[], leaseMs: number): Promise<Set<string>> {
  if (held.length === 0) return new Set();
  const rows = await db.prisma.$queryRaw<{ id: string }[]>`
    UPDATE batch SET lease_until = oneturn_now() + ${leaseMs}::float8 * interval '1 millisecond'
    FROM unnest(${held.map((turn) => turn.batchId)}::bigint[], ${held.map((turn) => turn.fence)}::bigint[]) AS row (id, fence)
    WHERE batch.id = row.id AND batch.fence = row.fence AND batch.state = 'running'
    RETURNING batch.id::text`;
  return new Set(rows.map((row) => row.id));
}
