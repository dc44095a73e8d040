/** How many messages wait for a turn: for the metric. */
import type { Queryable } from './database.js';

export interface QueueDepth {
  /** Over all conversations, and in the one where the most wait. */
  total: number;
  deepest: number;
}

export async function readQueueDepth(db: Queryable): Promise<QueueDepth> {
  const rows = await db.$queryRaw<QueueDepth[]>`
    SELECT coalesce(sum(waiting), 0)::int AS total, coalesce(max(waiting), 0)::int AS deepest FROM (
      SELECT count(*) AS waiting FROM batch b JOIN event e ON e.batch_id = b.id AND e.outcome IS NULL
      WHERE b.state IN ('collecting', 'queued') GROUP BY b.conversation_id) AS conversation`;
  return rows[0] ?? { total: 0, deepest: 0 };
}
