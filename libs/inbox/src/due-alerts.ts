/** Cases that somebody has to be told of: new ones, and open ones that nobody has taken. */
import type { Queryable } from './database.js';

/** A case that stays open after its second announcement is announced again as often as this, ms. */
const REPEAT_MS = 24 * 3_600_000;

export interface DueAlert {
  kind: 'review-opened' | 'review-still-open';
  id: string;
  reason: string;
  conversationId: string | null;
  /** The customer's name, when we know one. */
  contact: string | null;
  openedAt: Date;
  detail: string | null;
}

/** Oldest first. `alerted_at` is the time of the last announcement. */
export function dueAlerts(db: Queryable, stillOpenMs: number, limit: number): Promise<DueAlert[]> {
  return db.$queryRaw<DueAlert[]>`
    WITH clock AS MATERIALIZED (SELECT oneturn_now() AS now), due AS (
      (SELECT 'review-opened' AS kind, * FROM review WHERE alerted_at IS NULL ORDER BY opened_at LIMIT ${limit}::int)
      UNION ALL
      (SELECT 'review-still-open' AS kind, * FROM review
        WHERE state = 'open' AND alerted_at IS NOT NULL
          AND opened_at < (SELECT now FROM clock) - ${stillOpenMs}::float8 * interval '1 millisecond'
          AND (alerted_at < opened_at + ${stillOpenMs}::float8 * interval '1 millisecond'
            OR alerted_at < (SELECT now FROM clock) - ${REPEAT_MS}::float8 * interval '1 millisecond')
        ORDER BY opened_at LIMIT ${limit}::int))
    SELECT due.kind, due.id::text, due.reason, due.conversation_id::text AS "conversationId", c.name AS contact,
      due.opened_at AS "openedAt", due.detail
    FROM due LEFT JOIN conversation c ON c.id = due.conversation_id ORDER BY due.kind, due.opened_at LIMIT ${limit}::int`;
}

/** Notes that the case was announced now. */
export async function markAnnounced(db: Queryable, reviewId: string): Promise<void> {
  await db.$executeRaw`UPDATE review SET alerted_at = oneturn_now() WHERE id = ${reviewId}::bigint`;
}
