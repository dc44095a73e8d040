/** The rows that the ledger counts as unaccounted, one by one, for the person who has to look into them. */
import type { Queryable } from './database.js';
import { unaccountedRows, type AuditRules } from './unaccounted.js';

export interface AuditRow {
  /** The table: event, batch, part or conversation. */
  kind: string;
  id: string;
  why: string;
  /** Since when it is behind, or when it ended; null: not known. */
  since: Date | null;
}

/** Oldest first, at most `limit`. */
export function auditRows(db: Queryable, rules: AuditRules, limit: number): Promise<AuditRow[]> {
  return db.$queryRaw<AuditRow[]>`
    SELECT kind, id::text, why, since FROM (${unaccountedRows(rules, 'all')}) AS found ORDER BY since, kind, id LIMIT ${limit}::int`;
}

/**
 * How many there are. `overdue` looks only where indexes lead, so that it can be asked every minute; `all` also reads
 * the tables for rows that contradict each other.
 */
export async function countUnaccounted(db: Queryable, rules: AuditRules, scope: 'overdue' | 'all'): Promise<number> {
  const rows = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (${unaccountedRows(rules, scope)}) AS found`;
  return rows[0]?.count ?? 0;
}
