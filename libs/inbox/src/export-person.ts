/** Everything kept of one person, as plain data. */
import type { JsonObject } from '#domain';
import type { Database } from './database.js';

/** Raw bodies as text; times in ISO form. Ordered by id, so that two exports can be compared. */
export async function exportPerson(db: Database, conversationIds: string[]): Promise<JsonObject> {
  const rows = await db.prisma.$queryRaw<{ person: JsonObject }[]>`
    WITH c AS (SELECT * FROM conversation WHERE id = ANY(${conversationIds}::bigint[])),
      b AS (SELECT batch.* FROM batch JOIN c ON c.id = batch.conversation_id)
    SELECT jsonb_build_object(
      'conversations', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY id), '[]') FROM c),
      'aliases', (SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY kind, value), '[]') FROM contact_alias a JOIN c ON c.id = a.conversation_id),
      'events', (SELECT coalesce(jsonb_agg((to_jsonb(e) - 'raw') || jsonb_build_object('raw', encode(e.raw, 'escape')) ORDER BY e.id), '[]')
        FROM event e JOIN c ON c.id = e.conversation_id),
      'batches', (SELECT coalesce(jsonb_agg(to_jsonb(b) ORDER BY id), '[]') FROM b),
      'turns', (SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY t.id), '[]') FROM turn t JOIN b ON b.id = t.batch_id),
      'steps', (SELECT coalesce(jsonb_agg(to_jsonb(s) ORDER BY s.id), '[]') FROM model_step s JOIN b ON b.id = s.batch_id),
      'parts', (SELECT coalesce(jsonb_agg(to_jsonb(p) ORDER BY p.id), '[]') FROM part p JOIN c ON c.id = p.conversation_id),
      'reviews', (SELECT coalesce(jsonb_agg(to_jsonb(r) ORDER BY r.id), '[]') FROM review r JOIN c ON c.id = r.conversation_id),
      'appointments', (SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.id), '[]') FROM appointment x JOIN c ON c.id = x.conversation_id),
      'notes', (SELECT coalesce(jsonb_agg(to_jsonb(n) ORDER BY n.id), '[]') FROM note n JOIN c ON c.id = n.conversation_id)
    ) AS person`;
  return (rows[0] as { person: JsonObject }).person;
}
