/** A part that failed for good takes the rest of its reply along: half an answer is a person's case. */
import type { Tx } from './database.js';
import { openReviews, type NewReview, type OpenedReview } from './open-reviews.js';
import type { ReviewReason } from '#domain';

export interface FailedPart {
  id: string;
  accountId: string;
  conversationId: string;
  batchId: string | null;
  /** Place in the reply, from 0. */
  index: number;
  why: string;
  reason: Extract<ReviewReason, 'send-failed' | 'window-closed' | 'unknown-send' | 'taken-over'>;
}

/**
 * Holds the parts that follow in the same reply and opens one case per reply, which says how much of it got through.
 * The failed part itself has its state already; the caller holds the conversation.
 */
export async function failReply(tx: Tx, failed: FailedPart[], now: number): Promise<OpenedReview[]> {
  const reviews: NewReview[] = [];
  for (const part of failed) {
    const summary = await holdRest(tx, part);
    const told = summary.all > 1 ? `${summary.accepted} of ${summary.all} parts delivered to the channel. ` : '';
    const ofReply = part.batchId !== null && part.reason !== 'unknown-send';
    reviews.push({
      subject: ofReply ? `batch:${part.batchId}` : `part:${part.id}`,
      reason: part.reason,
      detail: `${told}Part ${part.index + 1}: ${part.why}`,
      draft: summary.draft,
      accountId: part.accountId,
      conversationId: part.conversationId,
      batchId: part.batchId,
      partId: part.id,
    });
  }
  return openReviews(tx, reviews, now);
}

async function holdRest(
  tx: Tx,
  part: Pick<FailedPart, 'id' | 'conversationId'>,
): Promise<{ accepted: number; all: number; draft: string | null }> {
  await tx.$executeRaw`
    UPDATE part SET state = 'held', reason = 'earlier-part', holder = NULL, lease_until = NULL
    FROM part failed WHERE failed.id = ${part.id}::bigint AND part.conversation_id = ${part.conversationId}::bigint
      AND part.reply = failed.reply AND part.index > failed.index AND part.state = 'pending'`;
  const rows = await tx.$queryRaw<{ accepted: number; all: number; draft: string | null }[]>`
    SELECT count(*) FILTER (WHERE p.state IN ('accepted', 'sent', 'delivered', 'read'))::int AS accepted, count(*)::int AS all,
      string_agg(p.text, E'\n\n' ORDER BY p.index) FILTER (WHERE p.state IN ('held', 'failed', 'unknown')) AS draft
    FROM part failed JOIN part p ON p.conversation_id = failed.conversation_id AND p.reply = failed.reply
    WHERE failed.id = ${part.id}::bigint`;
  return rows[0] ?? { accepted: 0, all: 0, draft: null };
}
