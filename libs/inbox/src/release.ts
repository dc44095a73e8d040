/** The assistant gets a conversation back, with what nobody has answered since the person's last reply. */
import type { Policy } from '#domain';
import { collectAgain, windowOf, type MessageToCollect } from './collect-again.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { holdConversation, type HeldConversation } from './hold-conversation.js';

export type Released =
  /** `batchIds`: the batches with what is still unanswered; usually due at once. */
  { kind: 'released'; conversationId: string; batchIds: string[] } | { kind: 'not-taken-over' } | { kind: 'missing' };

/** The parts of the environment's policy that time a batch. */
export type WindowPolicy = Pick<Policy, 'windowMs' | 'maxWaitMs'>;

/** Parts that were held when the person took over stay held: they are drafts now. */
export function release(db: Database, conversationId: string, policy: WindowPolicy): Promise<Released> {
  return inTransaction(db, async (tx): Promise<Released> => {
    const conversation = await holdConversation(tx, conversationId);
    if (!conversation) return { kind: 'missing' };
    if (!conversation.takenOver) return { kind: 'not-taken-over' };
    const batchIds = await releaseHeld(tx, conversation, policy);
    return { kind: 'released', conversationId: conversation.id, batchIds };
  });
}

/** The same for a caller that holds the conversation already. */
export async function releaseHeld(
  tx: Tx,
  conversation: Pick<HeldConversation, 'id' | 'accountId'>,
  policy: WindowPolicy,
): Promise<string[]> {
  const unanswered = await tx.$queryRaw<MessageToCollect[]>`
    SELECT e.id::text AS "eventId", coalesce(e.thread, 'main') AS thread, epoch_ms(e.arrived_at) AS "arrivedAt"
    FROM event e JOIN conversation c ON c.id = e.conversation_id LEFT JOIN batch b ON b.id = e.batch_id
    WHERE e.conversation_id = ${conversation.id}::bigint AND e.kind = 'message'
      -- A message from the business's own phone is a reply of the person, too.
      AND e.arrived_at > coalesce(greatest(c.operator_at, (SELECT max(arrived_at) FROM event o
        WHERE o.conversation_id = c.id AND o.kind = 'echo' AND o.outcome = 'applied')), '-infinity')
      AND (e.outcome = 'human' OR (e.outcome = 'in_batch' AND b.state = 'human'))
    ORDER BY e.id`;
  await tx.$executeRaw`
    UPDATE conversation SET taken_over_at = NULL, taken_over_by = NULL, takeover_until = NULL
    WHERE id = ${conversation.id}::bigint`;
  return collectAgain(tx, conversation.id, unanswered, await windowOf(tx, conversation.accountId, policy), null);
}
