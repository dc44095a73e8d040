/** One pass of announcing: at most one process at a time, so that nobody is told twice. */
import type { Database } from './database.js';
import { dueAlerts, markAnnounced, type DueAlert } from './due-alerts.js';

export interface AnnouncePass {
  /** Cases of one pass. */
  limit: number;
  /** After how long an open case is announced again, ms. */
  stillOpenMs: number;
  /** Whether there is still time for another one; a pass must stay below 12 s in all. */
  goOn: () => boolean;
  /** Resolves to whether somebody was told; false ends the pass, and the case stays due. */
  tell: (alert: DueAlert) => Promise<boolean>;
}

export interface Announced {
  told: number;
  /** The receiver did not accept one: try again after a pause. */
  failed: boolean;
}

/**
 * Null when another process is at it. No row is locked while somebody is told: a slow receiver would hold up the
 * conversation. Each case is noted as soon as it was told; a crash in between tells it again.
 */
export function announceReviews(db: Database, pass: AnnouncePass): Promise<Announced | null> {
  return db.prisma.$transaction(async (tx) => {
    // Held to the end of this transaction, which does nothing else; the server ends it after 15 s without a statement.
    const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`SELECT pg_try_advisory_xact_lock(20262, 1) AS taken`;
    if (!lock?.taken) return null;
    let told = 0;
    for (const alert of await dueAlerts(db.prisma, pass.stillOpenMs, pass.limit)) {
      if (!pass.goOn()) break;
      if (!(await pass.tell(alert))) return { told, failed: true };
      await markAnnounced(db.prisma, alert.id);
      told += 1;
    }
    return { told, failed: false };
  });
}
