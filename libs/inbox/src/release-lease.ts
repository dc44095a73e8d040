/** An operator frees a conversation that a turn holds: its holder hangs, or is known to be dead. */
import { inTransaction, type Database } from './database.js';
import { holdConversation } from './hold-conversation.js';

export type ReleasedLease =
  /** `batchIds`: what was freed. `toolsUnderWay`: tools that may still be doing their effect. */
  | { kind: 'released'; conversationId: string; batchIds: string[]; toolsUnderWay: number }
  | { kind: 'not-held' }
  | { kind: 'missing' };

/**
 * The fence rises at once, so that the holder can neither journal nor finish any more, and the next claim goes on from
 * the journal. The attempt counts: a batch that hangs its holder each time still reaches a person. What waits between
 * two attempts is tried now.
 * @param by who released it, as the timeline shows it.
 */
export function releaseLease(db: Database, conversationId: string, by: string): Promise<ReleasedLease> {
  return inTransaction(db, async (tx): Promise<ReleasedLease> => {
    const conversation = await holdConversation(tx, conversationId);
    if (!conversation) return { kind: 'missing' };
    const { id, now } = conversation;
    const batches = await tx.$queryRaw<{ id: string; tools: number }[]>`
      UPDATE batch SET fence = fence + 1, lease_until = CASE WHEN state = 'running' THEN from_epoch_ms(${now}) END,
        next_attempt_at = CASE WHEN state = 'retry_wait' THEN from_epoch_ms(${now}) END
      WHERE state IN ('running', 'retry_wait') AND conversation_id IN (
        SELECT id FROM conversation WHERE id = ${id}::bigint OR merged_into_id = ${id}::bigint)
      RETURNING id::text, (SELECT count(*)::int FROM model_step s WHERE s.batch_id = batch.id AND s.state = 'started') AS tools`;
    if (batches.length === 0) return { kind: 'not-held' };
    const batchIds = batches.map((batch) => batch.id);
    await tx.$executeRaw`
      UPDATE turn SET ended_at = from_epoch_ms(${now}), outcome = 'released', error = ${`the lease was released by ${by}`}
      WHERE batch_id = ANY(${batchIds}::bigint[]) AND ended_at IS NULL`;
    const toolsUnderWay = batches.reduce((sum, batch) => sum + batch.tools, 0);
    return { kind: 'released', conversationId: id, batchIds, toolsUnderWay };
  });
}
