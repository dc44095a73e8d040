/** The books of a world, as `npm run audit` and the console read them. */
import { auditRows, openDatabase, readLedger, type AuditRow, type Ledger } from '#inbox';
import { settle } from './settle.js';
import type { World } from './world.js';

/** Waits until what still waits, waits for a person; then reads the ledger and every row that it cannot account for. */
export async function closeBooks(
  world: World,
  timeoutMs = 60_000,
): Promise<{ ledger: Ledger; unaccounted: AuditRow[] }> {
  await settle(world, timeoutMs);
  const db = openDatabase({ url: world.database.url, poolMax: 2, applicationName: 'oneturn-e2e-books' });
  const rules = { maxWaitMs: Number(world.env['MAX_WAIT_MS']), unknownWaitMs: Number(world.env['UNKNOWN_WAIT_MS']) };
  try {
    return { ledger: await readLedger(db, rules), unaccounted: await auditRows(db.prisma, rules, 50) };
  } finally {
    await db.close();
  }
}
