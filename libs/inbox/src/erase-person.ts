/** One person's data, handed out or taken away. The ledger keeps adding up: rows stay, what they said goes. */
import { applyTakeover } from './apply-takeover.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { lockConversations, readClock } from './lock-conversations.js';

/** A copy of a webhook may come for 7 days (Meta); until then the ids must be recognised. */
const COPIES_END_MS = 8 * 24 * 3600 * 1000;

/** Conversations that a phone, business-scoped id or other alias leads to, in every account, with those merged into them. */
export async function findPerson(db: Database, alias: string): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ id: string }[]>`
    WITH named AS (SELECT DISTINCT conversation_id AS id FROM contact_alias WHERE value = ${alias} AND kind <> 'group')
    SELECT id::text FROM named UNION SELECT c.id::text FROM conversation c JOIN named ON c.merged_into_id = named.id`;
  return rows.map((row) => row.id);
}

/** Resolves to how many conversations were erased. What is under way in them ends; a part that is being sent may still leave. */
export async function erasePerson(db: Database, conversationIds: string[]): Promise<number> {
  return inTransaction(db, async (tx) => {
    const ids = [...(await lockConversations(tx, conversationIds)).keys()];
    if (ids.length === 0) return 0;
    const now = await readClock(tx);
    await applyTakeover(tx, ids, 'erasure', now, now);
    await eraseTexts(tx, ids, now);
    await tx.$executeRaw`DELETE FROM contact_alias WHERE conversation_id = ANY(${ids}::bigint[])`;
    await tx.$executeRaw`
      UPDATE conversation SET name = NULL, phone = NULL, user_id = NULL, last_inbound_id = NULL, last_inbound_at = NULL,
        taken_over_at = NULL, taken_over_by = NULL, takeover_until = NULL, lock_key = 'erased:' || id, erased_at = from_epoch_ms(${now})
      WHERE id = ANY(${ids}::bigint[])`;
    return ids.length;
  });
}

async function eraseTexts(tx: Tx, ids: string[], now: number): Promise<void> {
  const batches = await tx.$queryRaw<
    { id: string }[]
  >`SELECT id::text FROM batch WHERE conversation_id = ANY(${ids}::bigint[])`;
  const batchIds = batches.map((row) => row.id);
  await tx.$executeRaw`
    DELETE FROM event_variant v USING event e WHERE e.conversation_id = ANY(${ids}::bigint[])
      AND v.account_key = e.account_key AND v.external_id = e.external_id`;
  await tx.$executeRaw`UPDATE event SET raw = '', parsed = NULL WHERE conversation_id = ANY(${ids}::bigint[])`;
  await tx.$executeRaw`UPDATE part SET text = '', error = NULL WHERE conversation_id = ANY(${ids}::bigint[])`;
  await tx.$executeRaw`UPDATE turn SET draft = NULL, error = NULL WHERE batch_id = ANY(${batchIds}::bigint[])`;
  await tx.$executeRaw`UPDATE batch SET last_error = NULL WHERE id = ANY(${batchIds}::bigint[])`;
  await tx.$executeRaw`DELETE FROM model_step WHERE batch_id = ANY(${batchIds}::bigint[])`;
  await tx.$executeRaw`DELETE FROM appointment WHERE conversation_id = ANY(${ids}::bigint[])`;
  await tx.$executeRaw`DELETE FROM note WHERE conversation_id = ANY(${ids}::bigint[])`;
  await tx.$executeRaw`
    UPDATE review SET detail = NULL, draft = NULL,
      state = 'resolved', action = coalesce(action, 'erased'), resolved_by = coalesce(resolved_by, 'erasure'),
      resolved_at = coalesce(resolved_at, from_epoch_ms(${now}))
    WHERE conversation_id = ANY(${ids}::bigint[])`;
}

/**
 * Janitor: a message's id carries the phone number. Once no copy of it can come any more, ids of erased conversations
 * are replaced by their hashes. Resolves to how many.
 */
export async function finishErasures(db: Database, limit: number): Promise<number> {
  const events = await db.prisma.$executeRaw`
    UPDATE event SET external_id = 'erased:' || encode(sha256(convert_to(external_id, 'UTF8')), 'hex'), content_hash = '' WHERE id IN (
      SELECT e.id FROM conversation c JOIN event e ON e.conversation_id = c.id
      WHERE c.erased_at < oneturn_now() - ${COPIES_END_MS}::float8 * interval '1 millisecond' AND e.external_id NOT LIKE 'erased:%'
      LIMIT ${limit}::int)`;
  const parts = await db.prisma.$executeRaw`
    UPDATE part SET provider_id = 'erased:' || encode(sha256(convert_to(provider_id, 'UTF8')), 'hex') WHERE id IN (
      SELECT p.id FROM conversation c JOIN part p ON p.conversation_id = c.id
      WHERE c.erased_at < oneturn_now() - ${COPIES_END_MS}::float8 * interval '1 millisecond' AND p.provider_id NOT LIKE 'erased:%'
      LIMIT ${limit}::int)`;
  return events + parts;
}
