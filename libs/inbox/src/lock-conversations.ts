/** The one lock that orders everything about a conversation. Always taken by rising id: no two operations deadlock. */
import type { Tx } from './database.js';

export interface LockedConversation {
  id: string;
  accountId: string;
  takenOver: boolean;
  /** Epoch ms, provider time. */
  lastInboundAt: number | null;
  mergedInto: string | null;
}

/** Waits for each lock. Unknown ids are simply absent from the answer. */
export async function lockConversations(tx: Tx, ids: Iterable<string>): Promise<Map<string, LockedConversation>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = await tx.$queryRaw<LockedConversation[]>`
    SELECT id::text, account_id::text AS "accountId", taken_over_at IS NOT NULL AS "takenOver",
      epoch_ms(last_inbound_at) AS "lastInboundAt", merged_into_id::text AS "mergedInto"
    FROM conversation WHERE id = ANY(${wanted}::bigint[]) ORDER BY conversation.id FOR NO KEY UPDATE`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** The ids that could be locked at once; what another process works on is left to it. */
export async function tryLockConversations(tx: Tx, ids: Iterable<string>): Promise<string[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return [];
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM conversation WHERE id = ANY(${wanted}::bigint[]) ORDER BY conversation.id FOR NO KEY UPDATE SKIP LOCKED`;
  return rows.map((row) => row.id);
}

/** The database's clock, epoch ms. Read after the locks: before them it would be stale by the wait. */
export async function readClock(tx: Pick<Tx, '$queryRaw'>): Promise<number> {
  const rows = await tx.$queryRaw<{ now: number }[]>`SELECT epoch_ms(oneturn_now()) AS now`;
  return (rows[0] as { now: number }).now;
}
