/** The outbox as the table has it, for one person. */
import type { Person } from './person.js';
import type { World } from './world.js';

export interface PartRow {
  id: string;
  index: number;
  text: string;
  state: string;
  reason: string | null;
  attempts: number;
  providerId: string | null;
  copies: number;
}

export function partsOf(world: World, person: Person): Promise<PartRow[]> {
  return world.query<PartRow>(
    `SELECT p.id::text, p.index, p.text, p.state, p.reason, p.attempts, p.provider_id AS "providerId", p.copies
      FROM part p JOIN contact_alias a USING (conversation_id) WHERE a.value = $1 ORDER BY p.reply, p.index`,
    [person.phone],
  );
}

export interface ReviewRow {
  reason: string;
  state: string;
  detail: string | null;
  draft: string | null;
  action: string | null;
}

/** Cases about one person, oldest first. */
export function reviewsOf(world: World, person: Person): Promise<ReviewRow[]> {
  return world.query<ReviewRow>(
    `SELECT r.reason, r.state, r.detail, r.draft, r.action FROM review r JOIN contact_alias a USING (conversation_id)
      WHERE a.value = $1 ORDER BY r.id`,
    [person.phone],
  );
}
