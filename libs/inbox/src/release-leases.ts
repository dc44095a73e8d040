/** A graceful stop gives back what it can, so that another process goes on at once. */
import type { Database } from './database.js';
import type { HeldTurn } from './renew-leases.js';

/**
 * Ends the leases of turns that were stopped in the middle. Not of one with a tool under way: its effect may be
 * happening at this moment, and the next holder must not run it beside.
 */
export async function releaseLeases(db: Database, held: HeldTurn[]): Promise<number> {
  if (held.length === 0) return 0;
  return db.prisma.$executeRaw`
    UPDATE batch SET lease_until = oneturn_now()
    FROM unnest(${held.map((turn) => turn.batchId)}::bigint[], ${held.map((turn) => turn.fence)}::bigint[]) AS row (id, fence)
    WHERE batch.id = row.id AND batch.fence = row.fence AND batch.state = 'running'
      AND NOT EXISTS (SELECT FROM model_step s WHERE s.batch_id = batch.id AND s.state = 'started')`;
}
