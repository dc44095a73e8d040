/** The cases for people: the open ones oldest first, as a queue is worked off; all others newest first. */
import { pageOf, type Cursor, type Page } from './cursor.js';
import { Prisma } from './generated/client.js';
import type { Database } from './database.js';

export interface ReviewView {
  id: string;
  subject: string;
  reason: string;
  state: string;
  conversationId: string | null;
  accountId: string | null;
  contact: { name: string | null; aliases: { kind: string; value: string }[] } | null;
  batchId: string | null;
  partId: string | null;
  eventId: string | null;
  openedAt: Date;
  detail: string | null;
  /** A text that was meant for the customer and did not get there. */
  draft: string | null;
  resolvedAt: Date | null;
  resolvedBy: string | null;
  action: string | null;
}

export type ReviewState = 'open' | 'resolved' | 'all';

export async function listReviews(
  db: Database,
  filter: { state: ReviewState; conversationId?: string },
  limit: number,
  after: Cursor | null,
): Promise<Page<ReviewView>> {
  const open = filter.state === 'open';
  const conditions = [Prisma.sql`TRUE`];
  if (filter.state !== 'all') conditions.push(Prisma.sql`r.state = ${filter.state}`);
  // Said literally, so that the index of the open cases can be used.
  if (open) conditions.push(Prisma.sql`r.state = 'open'`);
  if (filter.conversationId !== undefined)
    conditions.push(Prisma.sql`r.conversation_id = ${filter.conversationId}::bigint`);
  if (after) {
    const place = Prisma.sql`(from_epoch_ms(${after.at}), ${after.id}::bigint)`;
    conditions.push(open ? Prisma.sql`(r.opened_at, r.id) > ${place}` : Prisma.sql`(r.opened_at, r.id) < ${place}`);
  }
  const direction = open ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const rows = await db.prisma.$queryRaw<(ReviewView & { sortAt: number })[]>`
    SELECT r.id::text, epoch_ms(r.opened_at) AS "sortAt", r.subject, r.reason, r.state, r.detail, r.draft,
      r.conversation_id::text AS "conversationId", r.account_id::text AS "accountId", r.batch_id::text AS "batchId",
      r.part_id::text AS "partId", r.event_id::text AS "eventId", r.opened_at AS "openedAt",
      r.resolved_at AS "resolvedAt", r.resolved_by AS "resolvedBy", r.action,
      CASE WHEN c.id IS NOT NULL THEN jsonb_build_object('name', c.name, 'aliases', coalesce((
        SELECT jsonb_agg(jsonb_build_object('kind', kind, 'value', value) ORDER BY kind, value)
        FROM contact_alias ca WHERE ca.conversation_id = c.id), '[]')) END AS contact
    FROM review r LEFT JOIN conversation rc ON rc.id = r.conversation_id
      LEFT JOIN conversation c ON c.id = coalesce(rc.merged_into_id, rc.id)
    WHERE ${Prisma.join(conditions, ' AND ')}
    ORDER BY r.opened_at ${direction}, r.id ${direction} LIMIT ${limit + 1}`;
  return pageOf(rows, limit);
}
