/** Janitor: what is older than the retention goes, a few rows at a time, so that nobody ever waits for it. */
import { inTransaction, type Database, type Tx } from './database.js';

export interface RetentionRules {
  /** Events, batches, parts and their cases are removed after this long, ms. At least 8 days: Meta repeats for 7. */
  retentionMs: number;
  /** Bodies are emptied after this long, ms; at most the retention. */
  payloadRetentionMs: number;
}

export interface Removed {
  batches: number;
  events: number;
  parts: number;
  payloads: number;
}

/**
 * One step of at most `limit` rows of each kind. Only what has ended is removed, and never what an open case is about;
 * a batch goes with its events, turns, steps and parts in one transaction, so that the ledger adds up at any moment.
 */
export async function removeOld(db: Database, rules: RetentionRules, limit: number): Promise<Removed> {
  const batches = await inTransaction(db, (tx) => removeBatches(tx, rules.retentionMs, limit));
  const parts = await removeLooseParts(db, rules.retentionMs, limit);
  const events = await removeLooseEvents(db, rules.retentionMs, limit);
  await removeVariants(db, rules.retentionMs, limit);
  const payloads = await emptyPayloads(db, rules.payloadRetentionMs, limit);
  return { batches: batches.batches, events: events + batches.events, parts: parts + batches.parts, payloads };
}

async function removeBatches(
  tx: Tx,
  ms: number,
  limit: number,
): Promise<{ batches: number; events: number; parts: number }> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT b.id::text FROM batch b
    WHERE b.finished_at < oneturn_now() - ${ms}::float8 * interval '1 millisecond'
      AND NOT EXISTS (SELECT FROM review r WHERE r.batch_id = b.id AND r.state = 'open')
      AND NOT EXISTS (SELECT FROM part p WHERE p.batch_id = b.id AND p.state IN ('pending', 'sending', 'unknown'))
    ORDER BY b.id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED`;
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return { batches: 0, events: 0, parts: 0 };
  await tx.$executeRaw`DELETE FROM model_step WHERE batch_id = ANY(${ids}::bigint[])`;
  await tx.$executeRaw`DELETE FROM turn WHERE batch_id = ANY(${ids}::bigint[])`;
  await tx.$executeRaw`DELETE FROM review WHERE batch_id = ANY(${ids}::bigint[])`;
  const parts = await tx.$executeRaw`DELETE FROM part WHERE batch_id = ANY(${ids}::bigint[])`;
  const events = await tx.$executeRaw`DELETE FROM event WHERE batch_id = ANY(${ids}::bigint[])`;
  const batches = await tx.$executeRaw`DELETE FROM batch WHERE id = ANY(${ids}::bigint[])`;
  return { batches, events, parts };
}

async function removeLooseParts(db: Database, ms: number, limit: number): Promise<number> {
  return db.prisma.$executeRaw`
    DELETE FROM part WHERE id IN (
      SELECT p.id FROM part p WHERE p.batch_id IS NULL AND p.state NOT IN ('pending', 'sending', 'unknown')
        AND p.created_at < oneturn_now() - ${ms}::float8 * interval '1 millisecond'
        AND NOT EXISTS (SELECT FROM review r WHERE r.part_id = p.id AND r.state = 'open')
      ORDER BY p.id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`;
}

async function removeLooseEvents(db: Database, ms: number, limit: number): Promise<number> {
  return db.prisma.$executeRaw`
    WITH old AS (
      SELECT e.id FROM event e WHERE e.batch_id IS NULL AND e.outcome IS NOT NULL
        AND e.arrived_at < oneturn_now() - ${ms}::float8 * interval '1 millisecond'
        AND NOT EXISTS (SELECT FROM review r WHERE r.event_id = e.id AND r.state = 'open')
      ORDER BY e.id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    ), cases AS (DELETE FROM review r USING old WHERE r.event_id = old.id)
    DELETE FROM event USING old WHERE event.id = old.id`;
}

async function removeVariants(db: Database, ms: number, limit: number): Promise<void> {
  await db.prisma.$executeRaw`
    DELETE FROM event_variant WHERE id IN (
      SELECT id FROM event_variant WHERE arrived_at < oneturn_now() - ${ms}::float8 * interval '1 millisecond'
      ORDER BY id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`;
}

/** The row stays, as the mark that this id was seen and what became of it; what was said goes. */
async function emptyPayloads(db: Database, ms: number, limit: number): Promise<number> {
  return db.prisma.$executeRaw`
    UPDATE event SET raw = '', parsed = NULL WHERE id IN (
      SELECT id FROM event WHERE raw <> '' AND outcome IS NOT NULL
        AND arrived_at < oneturn_now() - ${ms}::float8 * interval '1 millisecond'
        AND NOT EXISTS (SELECT FROM review r WHERE (r.event_id = event.id OR r.batch_id = event.batch_id) AND r.state = 'open')
      ORDER BY id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`;
}
