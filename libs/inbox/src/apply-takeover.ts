/** A person has the conversation: from here on the assistant is silent in it. */
import type { Tx } from './database.js';
import { readClock } from './lock-conversations.js';
import { openReviews, type NewReview, type OpenedReview } from './open-reviews.js';

/**
 * Stops everything the assistant has under way in these conversations, which the caller holds, and keeps what it did
 * not get to send as drafts. One part that is being sent at this moment may still leave. For a conversation that is
 * taken over already it only extends the time.
 * @param by the operator's name, or `phone` for a message from the business's own phone.
 * @param untilMs when the takeover ends by itself, epoch ms.
 * @param now database clock under the locks, epoch ms.
 * @returns the cases opened for replies that were cut in the middle.
 */
export async function applyTakeover(
  tx: Tx,
  conversationIds: string[],
  by: string,
  untilMs: number,
  now: number,
): Promise<OpenedReview[]> {
  if (conversationIds.length === 0) return [];
  await tx.$executeRaw`
    UPDATE conversation SET taken_over_at = coalesce(taken_over_at, from_epoch_ms(${now})), taken_over_by = ${by},
      takeover_until = greatest(takeover_until, from_epoch_ms(${untilMs}))
    WHERE id = ANY(${conversationIds}::bigint[])`;
  const all = await withMerged(tx, conversationIds);
  await closeBatches(tx, all);
  return holdParts(tx, all, now);
}

/** A turn that began before two identities became one still runs under the one that ended. */
async function withMerged(tx: Tx, conversationIds: string[]): Promise<string[]> {
  const merged = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM conversation WHERE merged_into_id = ANY(${conversationIds}::bigint[])`;
  return [...conversationIds, ...merged.map((row) => row.id)];
}

async function closeBatches(tx: Tx, conversationIds: string[]): Promise<void> {
  const open = await tx.$queryRaw<{ id: string; state: string }[]>`
    SELECT id::text, state FROM batch
    WHERE conversation_id = ANY(${conversationIds}::bigint[]) AND state IN ('collecting', 'queued', 'running', 'retry_wait')
    ORDER BY batch.id FOR NO KEY UPDATE`;
  if (open.length === 0) return;
  const ids = open.map((batch) => batch.id);
  // Read again: a turn may have journaled while we waited for its batch, and it ends after that step.
  const now = await readClock(tx);
  // The fence rises, so that a turn that is under way can neither journal nor finish any more.
  await tx.$executeRaw`
    UPDATE batch SET state = 'human', reason = 'taken-over', finished_at = from_epoch_ms(${now}), armed_until = NULL,
      fence = fence + CASE WHEN state IN ('running', 'retry_wait') THEN 1 ELSE 0 END,
      holder = NULL, lease_until = NULL, next_attempt_at = NULL
    WHERE id = ANY(${ids}::bigint[])`;
  await tx.$executeRaw`
    UPDATE event SET outcome = 'human', reason = NULL, outcome_at = from_epoch_ms(${now})
    WHERE batch_id = ANY(${ids}::bigint[]) AND outcome IS NULL`;
  await tx.$executeRaw`
    UPDATE turn SET ended_at = from_epoch_ms(${now}), outcome = 'taken-over'
    WHERE batch_id = ANY(${ids}::bigint[]) AND ended_at IS NULL`;
}

interface CutReply {
  batchId: string;
  conversationId: string;
  accountId: string;
  sent: number;
  unsure: number;
  all: number;
  draft: string;
}

async function holdParts(tx: Tx, conversationIds: string[], now: number): Promise<OpenedReview[]> {
  const held = await tx.$queryRaw<{ id: string; batchId: string | null }[]>`
    UPDATE part SET state = 'held', reason = 'taken-over', next_attempt_at = NULL, holder = NULL, lease_until = NULL
    WHERE id IN (SELECT id FROM part WHERE conversation_id = ANY(${conversationIds}::bigint[]) AND author = 'assistant'
      AND state = 'pending' ORDER BY id FOR NO KEY UPDATE)
    RETURNING id::text, batch_id::text AS "batchId"`;
  const batches = [...new Set(held.map((part) => part.batchId).filter((id) => id !== null))];
  if (batches.length === 0) return [];
  const cut = await tx.$queryRaw<CutReply[]>`
    SELECT p.batch_id::text AS "batchId", p.conversation_id::text AS "conversationId", c.account_id::text AS "accountId",
      count(*) FILTER (WHERE p.state IN ('accepted', 'sent', 'delivered', 'read'))::int AS sent,
      count(*) FILTER (WHERE p.state IN ('sending', 'unknown'))::int AS unsure, count(*)::int AS all,
      string_agg(p.text, E'\n\n' ORDER BY p.index) FILTER (WHERE p.state = 'held' AND p.reason = 'taken-over') AS draft
    FROM part p JOIN conversation c ON c.id = p.conversation_id
    WHERE p.batch_id = ANY(${batches}::bigint[]) GROUP BY p.batch_id, p.conversation_id, c.account_id
    ORDER BY p.batch_id`;
  return openReviews(tx, cut.map(reviewOfCut), now);
}

function reviewOfCut(reply: CutReply): NewReview {
  const unsure = reply.unsure > 0 ? `; ${reply.unsure} more may still arrive` : '';
  return {
    subject: `batch:${reply.batchId}`,
    reason: 'taken-over',
    detail: `${reply.sent} of ${reply.all} parts were sent${unsure}`,
    draft: reply.draft,
    accountId: reply.accountId,
    conversationId: reply.conversationId,
    batchId: reply.batchId,
  };
}
