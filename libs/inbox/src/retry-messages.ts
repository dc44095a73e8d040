/** Messages of a case go to the assistant once more, as a new batch that names the old one. */
import type { Tx } from './database.js';
import { collectAgain, windowOf, type MessageToCollect } from './collect-again.js';
import type { HeldConversation } from './hold-conversation.js';
import type { WindowPolicy } from './release.js';

export type Retried =
  { kind: 'retried'; batchIds: string[]; partIds: string[]; warning: string | null } | { kind: 'refused'; why: string };

export const refused = (why: string): Retried => ({ kind: 'refused', why });

/** The caller holds the conversation. `batchId` or `eventId` says what the case is about. */
export async function retryMessages(
  tx: Tx,
  conversation: HeldConversation,
  about: { batchId: string | null; eventId: string | null },
  policy: WindowPolicy,
): Promise<Retried> {
  if (conversation.takenOver) return refused('A person has this conversation. Release it first.');
  if (await turnUnderWay(tx, conversation.id)) {
    return refused('A turn is under way in this conversation. Try again when it has ended.');
  }
  if (about.eventId === null && about.batchId !== null) {
    const left = await partsUnderWay(tx, about.batchId);
    if (left > 0) {
      return refused(
        `${left} parts of this reply reached the customer or still may: send the rest as a reply of yours.`,
      );
    }
  }
  const messages = await messagesOf(tx, about);
  if (messages.length === 0) return refused('Its messages are with another batch by now.');
  const window = await windowOf(tx, conversation.accountId, policy);
  const mark = { replacesId: about.batchId, dueAt: conversation.now };
  const batchIds = await collectAgain(tx, conversation.id, messages, window, mark);
  return { kind: 'retried', batchIds, partIds: [], warning: null };
}

async function turnUnderWay(tx: Tx, conversationId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ busy: boolean }[]>`
    SELECT EXISTS (SELECT FROM batch WHERE state IN ('running', 'retry_wait', 'queued') AND conversation_id IN (
      SELECT id FROM conversation WHERE id = ${conversationId}::bigint OR merged_into_id = ${conversationId}::bigint)) AS busy`;
  return rows[0]?.busy === true;
}

async function partsUnderWay(tx: Tx, batchId: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM part WHERE batch_id = ${batchId}::bigint AND state NOT IN ('held', 'failed')`;
  return rows[0]?.count ?? 0;
}

/** A message of the batch that has a case of its own is not taken along. */
function messagesOf(tx: Tx, about: { batchId: string | null; eventId: string | null }): Promise<MessageToCollect[]> {
  if (about.eventId !== null) {
    return tx.$queryRaw<MessageToCollect[]>`
      SELECT id::text AS "eventId", coalesce(thread, 'main') AS thread, epoch_ms(arrived_at) AS "arrivedAt"
      FROM event WHERE id = ${about.eventId}::bigint AND outcome = 'review'`;
  }
  return tx.$queryRaw<MessageToCollect[]>`
    SELECT e.id::text AS "eventId", coalesce(e.thread, 'main') AS thread, epoch_ms(e.arrived_at) AS "arrivedAt"
    FROM event e WHERE e.batch_id = ${about.batchId}::bigint AND (e.outcome = 'in_batch'
      OR (e.outcome = 'review' AND NOT EXISTS (SELECT FROM review r WHERE r.event_id = e.id)))
    ORDER BY e.id`;
}
