/** Janitor: takeovers end by themselves, or a person who forgot one would silence the assistant for good. */
import { inTransaction, type Database } from './database.js';
import { readClock } from './lock-conversations.js';
import { releaseHeld, type WindowPolicy } from './release.js';

export interface EndedTakeover {
  conversationId: string;
  /** The batches with what nobody answered. */
  batchIds: string[];
}

/**
 * Ends at most `limit` takeovers whose time is over; those that another process works on are left to it.
 * As many as the limit: there may be more.
 */
export function endTakeovers(db: Database, policy: WindowPolicy, limit = 20): Promise<EndedTakeover[]> {
  return inTransaction(db, async (tx) => {
    const now = await readClock(tx);
    const over = await tx.$queryRaw<{ id: string; accountId: string }[]>`
      SELECT id::text, account_id::text AS "accountId" FROM conversation
      WHERE taken_over_at IS NOT NULL AND takeover_until <= from_epoch_ms(${now})
      ORDER BY conversation.id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`;
    const ended: EndedTakeover[] = [];
    for (const conversation of over) {
      ended.push({ conversationId: conversation.id, batchIds: await releaseHeld(tx, conversation, policy) });
    }
    return ended;
  });
}
