/** An event that makes the router throw every time goes to a person, so that it blocks nobody. */
import { inTransaction, type Database } from './database.js';
import { openReviews, type OpenedReview } from './open-reviews.js';
import { readClock } from './lock-conversations.js';

export async function isolateEvent(db: Database, eventId: string, error: string): Promise<OpenedReview[]> {
  return inTransaction(db, async (tx) => {
    const now = await readClock(tx);
    const rows = await tx.$queryRaw<{ accountId: string | null }[]>`
      UPDATE event SET routed_at = from_epoch_ms(${now}), outcome = 'review', reason = 'unreadable', outcome_at = from_epoch_ms(${now})
      WHERE id = ${eventId}::bigint AND routed_at IS NULL RETURNING account_id::text AS "accountId"`;
    if (!rows[0]) return [];
    const detail = `The router failed on this event: ${error.slice(0, 500)}`;
    const review = {
      subject: `event:${eventId}`,
      reason: 'unreadable' as const,
      detail,
      eventId,
      conversationId: null,
    };
    return openReviews(tx, [{ ...review, accountId: rows[0].accountId }], now);
  });
}

/** The oldest events without a place, for routing them one by one. */
export async function unroutedIds(db: Database, limit: number): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM event WHERE routed_at IS NULL ORDER BY event.id LIMIT ${limit}::int`;
  return rows.map((row) => row.id);
}
