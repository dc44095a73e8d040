/** Which of a process's turns are still its own: asked where a new message may take one back. */
import type { Database } from './database.js';
import type { HeldTurn } from './renew-leases.js';

/** Resolves to the batch ids that are still held; writes nothing. */
export async function turnsHeld(db: Database, held: HeldTurn[]): Promise<Set<string>> {
  if (held.length === 0) return new Set();
  const rows = await db.prisma.$queryRaw<{ id: string }[]>`
    SELECT batch.id::text FROM batch
    JOIN unnest(${held.map((turn) => turn.batchId)}::bigint[], ${held.map((turn) => turn.fence)}::bigint[]) AS row (id, fence)
      ON batch.id = row.id AND batch.fence = row.fence AND batch.state = 'running'`;
  return new Set(rows.map((row) => row.id));
}
