/** The rows of the outbox about one person, as the tables hold them. */
import type { Person } from './person.js';
import type { World } from './world.js';

export interface PartRow {
  id: string;
  state: string;
  reason: string | null;
  attempts: number;
  tracker: string | null;
  providerId: string | null;
  copies: number;
  errorCode: string | null;
  error: string | null;
}

/** Oldest reply first, in the order of its parts. */
export function partsOf(world: World, person: Person): Promise<PartRow[]> {
  return world.query<PartRow>(
    `SELECT p.id::text, p.state, p.reason, p.attempts, p.tracker, p.provider_id AS "providerId", p.copies,
      p.error_code AS "errorCode", p.error
    FROM part p JOIN conversation c ON c.id = p.conversation_id WHERE c.phone = $1 ORDER BY p.reply, p.index`,
    [person.phone],
  );
}
