/** Opens cases for a person, inside the transaction of whatever made them necessary. */
import type { ReviewReason } from '#domain';
import type { Queryable } from './database.js';

export interface NewReview {
  /** `batch:12`, `part:5`, `event:9` or `account:1`; one open case per subject and reason. */
  subject: string;
  reason: ReviewReason;
  detail: string | null;
  draft?: string | null;
  accountId: string | null;
  conversationId: string | null;
  batchId?: string | null;
  partId?: string | null;
  eventId?: string | null;
}

export interface OpenedReview {
  id: string;
  reason: ReviewReason;
  subject: string;
  conversationId: string | null;
}

/** Resolves to the cases that were really new; a case that is open already stays as it is. */
export async function openReviews(tx: Queryable, reviews: NewReview[], now: number): Promise<OpenedReview[]> {
  if (reviews.length === 0) return [];
  return tx.$queryRaw<OpenedReview[]>`
    INSERT INTO review (subject, reason, detail, draft, account_id, conversation_id, batch_id, part_id, event_id, opened_at)
    SELECT subject, reason, detail, draft, account_id, conversation_id, batch_id, part_id, event_id, from_epoch_ms(${now})
    FROM unnest(${reviews.map((r) => r.subject)}::text[], ${reviews.map((r) => r.reason)}::text[],
      ${reviews.map((r) => r.detail)}::text[], ${reviews.map((r) => r.draft ?? null)}::text[],
      ${reviews.map((r) => r.accountId)}::bigint[], ${reviews.map((r) => r.conversationId)}::bigint[],
      ${reviews.map((r) => r.batchId ?? null)}::bigint[], ${reviews.map((r) => r.partId ?? null)}::bigint[],
      ${reviews.map((r) => r.eventId ?? null)}::bigint[])
      AS row (subject, reason, detail, draft, account_id, conversation_id, batch_id, part_id, event_id)
    ON CONFLICT DO NOTHING
    RETURNING id::text, reason, subject, conversation_id::text AS "conversationId"`;
}

/** Closes open cases that the world has settled by itself (late evidence, a person who acted elsewhere). */
export async function closeReviews(
  tx: Queryable,
  subjects: string[],
  reasons: ReviewReason[],
  action: string,
  now: number,
): Promise<void> {
  if (subjects.length === 0) return;
  await tx.$executeRaw`
    UPDATE review SET state = 'resolved', resolved_at = from_epoch_ms(${now}), resolved_by = 'oneturn', action = ${action}
    WHERE state = 'open' AND subject = ANY(${subjects}::text[]) AND reason = ANY(${reasons}::text[])`;
}
