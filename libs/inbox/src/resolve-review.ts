/** A person settles a case: with a reply of their own, with another try, or by saying that nothing is to be done. */
import { applyTakeover } from './apply-takeover.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { holdConversation, type HeldConversation } from './hold-conversation.js';
import { readClock } from './lock-conversations.js';
import { writeParts, type LimitsOf } from './operator-message.js';
import type { WindowPolicy } from './release.js';
import { liftPause } from './resume-account.js';
import { refused, type Retried } from './retry-messages.js';
import { retryReview, type CaseFacts } from './retry-review.js';
import { isRowId } from './row-id.js';

export const REVIEW_ACTIONS = ['reply', 'retry', 'dismiss'] as const;
export type ReviewAction = (typeof REVIEW_ACTIONS)[number];

export interface ReviewDecision {
  action: ReviewAction;
  /** For reply: what to send. */
  text: string;
  /** Who decides, as it is shown to others. */
  by: string;
}

export interface PersonRules {
  policy: WindowPolicy;
  limitsOf: LimitsOf;
  /** How long a takeover lasts that a message extends, ms. */
  takeoverMs: number;
}

export type Resolved =
  | { kind: 'resolved'; conversationId: string | null; batchIds: string[]; partIds: string[]; warning: string | null }
  /** Not now, or not for this case; `why` is for the person. */
  | { kind: 'refused'; why: string }
  | { kind: 'already-resolved'; by: string | null }
  | { kind: 'missing' };

interface ReviewRow extends CaseFacts {
  state: string;
  resolvedBy: string | null;
  accountId: string | null;
}

/** Nothing is resolved when it is refused. */
export function resolveReview(
  db: Database,
  reviewId: string,
  decision: ReviewDecision,
  rules: PersonRules,
): Promise<Resolved> {
  return inTransaction(db, async (tx): Promise<Resolved> => {
    if (!isRowId(reviewId)) return { kind: 'missing' };
    const found = await tx.$queryRaw<{ conversationId: string | null }[]>`
      SELECT conversation_id::text AS "conversationId" FROM review WHERE id = ${reviewId}::bigint`;
    if (!found[0]) return { kind: 'missing' };
    const { conversationId } = found[0];
    // The conversation first: that is the order of all locks.
    const conversation = conversationId === null ? null : await holdConversation(tx, conversationId);
    const review = await lockReview(tx, reviewId);
    if (review.state !== 'open') return { kind: 'already-resolved', by: review.resolvedBy };
    const done = await carryOut(tx, review, conversation, decision, rules);
    if (done.kind === 'refused') return done;
    await tx.$executeRaw`
      UPDATE review SET state = 'resolved', resolved_by = ${decision.by}, action = ${decision.action},
        resolved_at = from_epoch_ms(${conversation?.now ?? (await readClock(tx))})
      WHERE id = ${reviewId}::bigint`;
    const { batchIds, partIds, warning } = done;
    return { kind: 'resolved', conversationId: conversation?.id ?? null, batchIds, partIds, warning };
  });
}

async function lockReview(tx: Tx, reviewId: string): Promise<ReviewRow> {
  const rows = await tx.$queryRaw<ReviewRow[]>`
    SELECT reason, state, resolved_by AS "resolvedBy", account_id::text AS "accountId", batch_id::text AS "batchId",
      part_id::text AS "partId", event_id::text AS "eventId"
    FROM review WHERE id = ${reviewId}::bigint FOR UPDATE`;
  return rows[0] as ReviewRow;
}

const NOTHING: Retried = { kind: 'retried', batchIds: [], partIds: [], warning: null };

async function carryOut(
  tx: Tx,
  review: ReviewRow,
  conversation: HeldConversation | null,
  decision: ReviewDecision,
  rules: PersonRules,
): Promise<Retried> {
  if (decision.action === 'dismiss') return NOTHING;
  if (decision.action === 'retry' && review.reason === 'channel-paused' && review.accountId !== null) {
    await liftPause(tx, review.accountId, decision.by);
    return NOTHING;
  }
  if (!conversation) return refused('This case belongs to no conversation: it can only be dismissed.');
  if (decision.action === 'retry') return retryReview(tx, review, conversation, rules.policy, rules.limitsOf);
  return reply(tx, conversation, decision, rules);
}

async function reply(
  tx: Tx,
  conversation: HeldConversation,
  { text, by }: ReviewDecision,
  rules: PersonRules,
): Promise<Retried> {
  const written = await writeParts(tx, conversation, text, by, rules.limitsOf);
  switch (written.kind) {
    case 'queued': {
      // A reply to a case takes nothing over; where a person has the conversation already, it counts as their message.
      const { id, now } = conversation;
      if (conversation.takenOver) await applyTakeover(tx, [id], by, now + rules.takeoverMs, now);
      return { kind: 'retried', batchIds: [], partIds: written.partIds, warning: null };
    }
    case 'window-closed':
      return refused('The service window is closed: nothing can be sent until the customer writes again.');
    case 'empty':
      return refused('The reply has no text.');
    case 'no-channel':
      return refused(`Nothing can be sent on ${conversation.channel}.`);
    case 'missing':
      return refused('The conversation is gone.');
  }
}
