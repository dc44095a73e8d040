/** What waits and what runs in some conversations, for strategies that look at it. The caller holds the conversations. */
import type { Arrival, TurnUnderWay } from '#domain';
import type { Tx } from './database.js';
import { POSITION } from './position-sql.js';

/** A message in a collecting batch. */
export interface WaitingMessage extends Arrival {
  eventId: string;
  externalId: string;
  characters: number;
}

export interface TurnOfLock extends Omit<TurnUnderWay, 'sameThread'> {
  batchId: string;
  conversationId: string;
  thread: string;
  lock: string;
}

/** Both change while an event of the same group after the other is placed. */
export interface OverlapState {
  turns: TurnOfLock[];
  /** By collecting batch. */
  waiting: Map<string, WaitingMessage[]>;
}

export async function readOverlap(tx: Tx, conversationIds: string[]): Promise<OverlapState> {
  if (conversationIds.length === 0) return { turns: [], waiting: new Map() };
  // A tool that starts at this moment holds the batch: whether it did is read after it has.
  await tx.$queryRaw`
    SELECT id FROM batch WHERE conversation_id = ANY(${conversationIds}::bigint[]) AND state IN ('running', 'retry_wait')
    ORDER BY id FOR NO KEY UPDATE`;
  const turns = await tx.$queryRaw<TurnOfLock[]>`
    SELECT b.id::text AS "batchId", coalesce(c.merged_into_id, c.id)::text AS "conversationId",
      -- A turn under a merged conversation is of no thread here: it is let end.
      CASE WHEN c.merged_into_id IS NULL THEN b.thread ELSE '' END AS thread, b.lock, b.state,
      epoch_ms(b.first_at) AS "firstAt", b.restarts,
      EXISTS (SELECT FROM model_step s WHERE s.batch_id = b.id AND s.effect = 'effectful')
        OR EXISTS (SELECT FROM part p WHERE p.batch_id = b.id) AS irreversible
    FROM batch b JOIN conversation c ON c.id = b.conversation_id
    WHERE (c.id = ANY(${conversationIds}::bigint[]) OR c.merged_into_id = ANY(${conversationIds}::bigint[]))
      AND b.state IN ('queued', 'running', 'retry_wait') ORDER BY b.id`;
  const messages = await tx.$queryRaw<(WaitingMessage & { batchId: string })[]>`
    SELECT e.batch_id::text AS "batchId", e.id::text AS "eventId", e.external_id AS "externalId", epoch_ms(e.provider_at) AS "providerAt",
      epoch_ms(e.arrived_at) AS "arrivedAt", ${POSITION} AS position,
      coalesce(length(e.parsed->'speech'->>'text'), 0)::int AS characters
    FROM event e JOIN batch b ON b.id = e.batch_id
    WHERE b.conversation_id = ANY(${conversationIds}::bigint[]) AND b.state = 'collecting' AND e.outcome IS NULL
    ORDER BY e.id`;
  const waiting = new Map<string, WaitingMessage[]>();
  for (const { batchId, ...message } of messages) waiting.set(batchId, [...(waiting.get(batchId) ?? []), message]);
  return { turns, waiting };
}

/** Two locks of one conversation that must not have turns at once: the scope of an account may have changed. */
export function locksConflict(a: string, b: string): boolean {
  return a === b || a === '' || b === '';
}
