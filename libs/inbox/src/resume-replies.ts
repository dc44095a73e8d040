/** Proof that a part got through after all: what was held behind it follows, and its case is closed. */
import type { Tx } from './database.js';
import { closeReviews } from './open-reviews.js';

export interface ProvenPart {
  id: string;
  batchId: string | null;
  /** Place in the reply, from 0. */
  index: number;
}

/**
 * The parts were unknown or failed and are known to be accepted now; the caller holds their conversations. The rest of
 * a reply goes out only while its case is still open (else a person has decided), nobody has the conversation and no
 * later reply stands behind it; otherwise the case stays open, because somebody has to say what becomes of the rest.
 * `now`: epoch ms, under the locks.
 */
export async function resumeReplies(tx: Tx, parts: ProvenPart[], now: number): Promise<void> {
  for (const part of parts) {
    if (part.batchId !== null && (await hasOpenCase(tx, part))) await resumeRest(tx, part, now);
    if (part.batchId !== null && (await isStuck(tx, part.batchId))) continue;
    await closeReviews(tx, [`part:${part.id}`], ['unknown-send', 'send-failed'], 'evidence', now);
    if (part.batchId !== null) {
      await closeReviews(tx, [`batch:${part.batchId}`], ['send-failed'], 'delivered after all', now);
    }
  }
}

async function hasOpenCase(tx: Tx, part: ProvenPart): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM review WHERE state = 'open' AND ((subject = ${`part:${part.id}`} AND reason = 'unknown-send')
      OR (subject = ${`batch:${part.batchId}`} AND reason = 'send-failed'))`;
  return rows.length > 0;
}

/** Up to the next part of the reply that has a trouble of its own. */
async function resumeRest(tx: Tx, part: ProvenPart, now: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE part SET state = 'pending', reason = NULL, next_attempt_at = from_epoch_ms(${now})
    WHERE batch_id = ${part.batchId}::bigint AND index > ${part.index}::int AND state = 'held' AND reason = 'earlier-part'
      AND NOT EXISTS (SELECT FROM part t WHERE t.batch_id = part.batch_id AND t.index > ${part.index}::int AND t.index < part.index
        AND (t.state IN ('failed', 'unknown') OR (t.state = 'held' AND t.reason <> 'earlier-part')))
      AND NOT EXISTS (SELECT FROM part later WHERE later.conversation_id = part.conversation_id AND later.reply > part.reply)
      AND NOT EXISTS (SELECT FROM conversation c WHERE c.id = part.conversation_id AND c.taken_over_at IS NOT NULL)`;
}

/** Something of the reply has not reached the channel and will not by itself. */
async function isStuck(tx: Tx, batchId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM part WHERE batch_id = ${batchId}::bigint
      AND (state = 'failed' OR (state = 'held' AND reason = 'earlier-part')) LIMIT 1`;
  return rows.length > 0;
}
