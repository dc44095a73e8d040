/** An account that the channel had shut out may send again. */
import { inTransaction, type Database, type Tx } from './database.js';
import { readClock } from './lock-conversations.js';
import { isRowId } from './row-id.js';

/**
 * Lifts the pause and closes the case that asked for it. What waited goes out by itself.
 * @param by who resumed it.
 * @returns false when there is no such account.
 */
export async function resumeAccount(db: Database, accountId: string, by: string): Promise<boolean> {
  if (!isRowId(accountId)) return false;
  return inTransaction(db, (tx) => liftPause(tx, accountId, by));
}

/** The same inside a transaction of the caller. */
export async function liftPause(tx: Tx, accountId: string, by: string): Promise<boolean> {
  const now = await readClock(tx);
  const found = await tx.$executeRaw`
    UPDATE account SET paused_at = NULL, paused_reason = NULL WHERE id = ${accountId}::bigint`;
  if (found === 0) return false;
  await tx.$executeRaw`
    UPDATE review SET state = 'resolved', resolved_at = from_epoch_ms(${now}), resolved_by = ${by}, action = 'resumed'
    WHERE state = 'open' AND reason = 'channel-paused' AND subject = ${`account:${accountId}`}`;
  return true;
}
