/** What a window's delayed job asks the table: due, or later than thought? */
import type { Database } from './database.js';

/**
 * Resolves to when the batch is due (epoch ms) while it is collecting and that lies ahead, and notes that a job waits
 * until then; 0 when it is due; null when there is nothing to wait for any more.
 */
export async function rearmBatch(db: Database, batchId: string): Promise<number | null> {
  const rows = await db.prisma.$queryRaw<{ dueAt: number; due: boolean }[]>`
    UPDATE batch SET armed_until = due_at WHERE id = ${batchId}::bigint AND state = 'collecting'
    RETURNING epoch_ms(due_at) AS "dueAt", due_at <= oneturn_now() AS due`;
  const row = rows[0];
  if (!row) return null;
  return row.due ? 0 : row.dueAt;
}
