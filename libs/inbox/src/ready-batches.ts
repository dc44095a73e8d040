/** Which batches could start a turn now: due, past their pause, or left by a holder whose lease lapsed. */
import type { Queryable } from './database.js';
import { OF_LOCK, SAME_LOCK } from './lock-sql.js';
import { unsettledPart } from './unsettled.js';

export interface ReadyBatch {
  id: string;
  conversationId: string;
  /** The conversation that this one was merged into; itself otherwise. Both share one turn. */
  rootId: string;
}

/**
 * Oldest due first. What is blocked (a running turn, unsettled parts, a person, an unfinished merge) is left out here,
 * so that it cannot fill the limit; the claim judges again under the lock.
 */
export async function readyBatches(db: Queryable, limit: number): Promise<ReadyBatch[]> {
  return db.$queryRaw<ReadyBatch[]>`
    WITH clock AS MATERIALIZED (SELECT oneturn_now() AS now),
    ready AS (
      (SELECT b.id, b.conversation_id, b.due_at AS at FROM batch b
        WHERE b.state = 'collecting' AND b.due_at <= (SELECT now FROM clock)
          AND NOT EXISTS (SELECT FROM batch o WHERE o.conversation_id = b.conversation_id AND ${SAME_LOCK} AND o.state IN ('running', 'retry_wait'))
          AND NOT EXISTS (SELECT FROM batch o WHERE o.conversation_id = b.conversation_id AND ${SAME_LOCK} AND o.state = 'queued')
          AND NOT EXISTS (SELECT FROM conversation m JOIN batch o ON o.conversation_id = m.id AND o.state IN ('running', 'retry_wait')
            WHERE m.merged_into_id = b.conversation_id)
          AND NOT EXISTS (SELECT FROM part p WHERE p.conversation_id = b.conversation_id AND ${unsettledPart('p')} AND ${OF_LOCK})
          AND NOT EXISTS (SELECT FROM conversation m JOIN part p ON p.conversation_id = m.id AND ${unsettledPart('p')}
            WHERE m.merged_into_id = b.conversation_id)
          AND NOT EXISTS (SELECT FROM conversation c WHERE c.id = b.conversation_id AND c.taken_over_at IS NOT NULL)
        ORDER BY b.due_at LIMIT ${limit}::int)
      UNION ALL
      -- As many as their lock has room for, in order; with room for one, also after the parts of the one before.
      (SELECT b.id, b.conversation_id, b.due_at FROM (
          SELECT *, row_number() OVER (PARTITION BY conversation_id, lock ORDER BY first_at, id) AS place FROM batch
          WHERE state = 'queued') b
        WHERE b.place + (SELECT count(*) FROM batch o WHERE o.conversation_id = b.conversation_id AND ${SAME_LOCK}
            AND o.state IN ('running', 'retry_wait')) <= b.slots
          AND NOT EXISTS (SELECT FROM conversation m JOIN batch o ON o.conversation_id = m.id AND o.state IN ('running', 'retry_wait')
            WHERE m.merged_into_id = b.conversation_id)
          AND (b.slots > 1 OR NOT EXISTS (SELECT FROM part p WHERE p.conversation_id = b.conversation_id AND ${unsettledPart('p')} AND ${OF_LOCK}))
          AND NOT EXISTS (SELECT FROM conversation c WHERE c.id = b.conversation_id AND c.taken_over_at IS NOT NULL)
        ORDER BY b.due_at LIMIT ${limit}::int)
      UNION ALL
      (SELECT b.id, b.conversation_id, b.next_attempt_at FROM batch b
        WHERE b.state = 'retry_wait' AND b.next_attempt_at <= (SELECT now FROM clock)
          AND (b.slots > 1 OR NOT EXISTS (SELECT FROM part p WHERE p.conversation_id = b.conversation_id AND ${unsettledPart('p')} AND ${OF_LOCK}))
        ORDER BY b.next_attempt_at LIMIT ${limit}::int)
      UNION ALL
      (SELECT b.id, b.conversation_id, b.lease_until FROM batch b
        WHERE b.state = 'running' AND b.lease_until <= (SELECT now FROM clock)
          AND (b.slots > 1 OR NOT EXISTS (SELECT FROM part p WHERE p.conversation_id = b.conversation_id AND ${unsettledPart('p')} AND ${OF_LOCK}))
        ORDER BY b.lease_until LIMIT ${limit}::int)
    )
    SELECT ready.id::text, ready.conversation_id::text AS "conversationId", coalesce(c.merged_into_id, c.id)::text AS "rootId"
    FROM ready JOIN conversation c ON c.id = ready.conversation_id ORDER BY at LIMIT ${limit}::int`;
}
