/** Janitor: parked statuses whose part has appeared go back to the router; those of foreign messages end after a day. */
import type { Database } from './database.js';

/** How long a status may wait for the message that it names, ms. */
export const PARKED_MAX_MS = 24 * 3600 * 1000;

export async function settleParkedStatuses(db: Database, limit: number): Promise<{ unparked: number; ended: number }> {
  // A status routed in the same moment in which its part got its id has missed it: here it is found.
  const unparked = await db.prisma.$executeRaw`
    WITH found AS (
      SELECT event_id FROM parked_status s WHERE EXISTS (
        SELECT FROM part p JOIN conversation c ON c.id = p.conversation_id JOIN account a ON a.id = c.account_id
        WHERE p.provider_id = s.provider_id AND a.key = s.account_key)
      LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    ), gone AS (DELETE FROM parked_status s USING found WHERE s.event_id = found.event_id RETURNING s.event_id)
    UPDATE event SET routed_at = NULL FROM gone WHERE event.id = gone.event_id AND outcome IS NULL`;
  const ended = await db.prisma.$executeRaw`
    WITH old AS (
      SELECT event_id FROM parked_status WHERE parked_at < oneturn_now() - ${PARKED_MAX_MS}::float8 * interval '1 millisecond'
      ORDER BY parked_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    ), gone AS (DELETE FROM parked_status s USING old WHERE s.event_id = old.event_id RETURNING s.event_id)
    UPDATE event SET outcome = 'ignored', reason = 'status-of-foreign-message', outcome_at = oneturn_now()
    FROM gone WHERE event.id = gone.event_id AND outcome IS NULL`;
  return { unparked, ended };
}
