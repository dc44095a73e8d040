/** A batch or part that makes code throw every time goes to a person, so that it blocks neither its neighbours nor the sweep. */
import { inTransaction, type Database } from './database.js';
import { failReply } from './fail-reply.js';
import { lockConversations, readClock } from './lock-conversations.js';
import { openReviews, type OpenedReview } from './open-reviews.js';

interface Work {
  id: string;
  conversationId: string;
}

/** Ends a batch that cannot even be claimed. */
export async function isolateBatch(db: Database, batch: Work, error: string): Promise<OpenedReview[]> {
  return inTransaction(db, async (tx) => {
    const conversation = (await lockConversations(tx, [batch.conversationId])).get(batch.conversationId);
    const now = await readClock(tx);
    const ended = await tx.$executeRaw`
      UPDATE batch SET state = 'review', reason = 'turn-failed', fence = fence + 1, holder = NULL, lease_until = NULL,
        next_attempt_at = NULL, last_error = ${error}, finished_at = from_epoch_ms(${now})
      WHERE id = ${batch.id}::bigint AND state IN ('collecting', 'queued', 'running', 'retry_wait')`;
    if (ended === 0 || !conversation) return [];
    await tx.$executeRaw`
      UPDATE event SET outcome = 'in_batch', outcome_at = from_epoch_ms(${now})
      WHERE batch_id = ${batch.id}::bigint AND outcome IS NULL`;
    const detail = `This batch cannot be given to the assistant: ${error.slice(0, 500)}`;
    const about = { subject: `batch:${batch.id}`, batchId: batch.id, conversationId: batch.conversationId };
    return openReviews(tx, [{ ...about, reason: 'turn-failed', detail, accountId: conversation.accountId }], now);
  });
}

/** Ends a part that cannot even be marked for sending; nothing of it has left. */
export async function isolatePart(db: Database, part: Work, error: string): Promise<OpenedReview[]> {
  return inTransaction(db, async (tx) => {
    const conversation = (await lockConversations(tx, [part.conversationId])).get(part.conversationId);
    const now = await readClock(tx);
    const rows = await tx.$queryRaw<{ batchId: string | null; index: number }[]>`
      UPDATE part SET state = 'failed', failed_at = from_epoch_ms(${now}), error_code = 'internal', error = ${error}
      WHERE id = ${part.id}::bigint AND state = 'pending' RETURNING batch_id::text AS "batchId", index`;
    const failed = rows[0];
    if (!failed || !conversation) return [];
    const why = `it cannot be sent: ${error.slice(0, 500)}`;
    return failReply(tx, [{ ...part, ...failed, accountId: conversation.accountId, why, reason: 'send-failed' }], now);
  });
}
