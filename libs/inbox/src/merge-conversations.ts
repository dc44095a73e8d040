/** Two conversations that turn out to be one person become one: rule 8 of the design. */
import { applyTakeover } from './apply-takeover.js';
import type { Tx } from './database.js';
import { readClock } from './lock-conversations.js';
import type { OpenedReview } from './open-reviews.js';

/**
 * Both are locked by the caller. Names and collecting messages go to the survivor. A turn that still runs under the
 * ended conversation finishes there; until then the survivor's batches are not claimed (claim-turns looks for it).
 * A person who had one of the two has both.
 * @returns the cases opened for replies that this cut in the middle.
 */
export async function mergeConversations(tx: Tx, survivor: string, ended: string): Promise<OpenedReview[]> {
  await tx.$executeRaw`UPDATE contact_alias SET conversation_id = ${survivor}::bigint WHERE conversation_id = ${ended}::bigint`;
  await tx.$executeRaw`UPDATE conversation SET merged_into_id = ${survivor}::bigint WHERE id = ${ended}::bigint`;
  await tx.$executeRaw`UPDATE conversation SET merged_into_id = ${survivor}::bigint WHERE merged_into_id = ${ended}::bigint`;
  await tx.$executeRaw`
    UPDATE conversation SET phone = coalesce(conversation.phone, other.phone), user_id = coalesce(conversation.user_id, other.user_id),
      name = coalesce(conversation.name, other.name),
      last_inbound_id = CASE WHEN other.last_inbound_at > conversation.last_inbound_at OR conversation.last_inbound_at IS NULL
        THEN other.last_inbound_id ELSE conversation.last_inbound_id END,
      last_inbound_at = greatest(conversation.last_inbound_at, other.last_inbound_at),
      taken_over_at = coalesce(conversation.taken_over_at, other.taken_over_at),
      taken_over_by = coalesce(conversation.taken_over_by, other.taken_over_by),
      takeover_until = greatest(conversation.takeover_until, other.takeover_until)
    FROM conversation other WHERE conversation.id = ${survivor}::bigint AND other.id = ${ended}::bigint`;
  await joinCollecting(tx, survivor, ended);
  return extendTakeover(tx, survivor);
}

async function extendTakeover(tx: Tx, survivor: string): Promise<OpenedReview[]> {
  const rows = await tx.$queryRaw<{ by: string; until: number }[]>`
    SELECT taken_over_by AS by, epoch_ms(takeover_until) AS until FROM conversation
    WHERE id = ${survivor}::bigint AND taken_over_at IS NOT NULL`;
  const held = rows[0];
  return held ? applyTakeover(tx, [survivor], held.by, held.until, await readClock(tx)) : [];
}

async function joinCollecting(tx: Tx, survivor: string, ended: string): Promise<void> {
  // Where both collect in the same thread, the earliest first message counts for the cap.
  const pairs = await tx.$queryRaw<{ kept: string; gone: string }[]>`
    SELECT a.id::text AS kept, b.id::text AS gone FROM batch a JOIN batch b ON b.thread = a.thread AND b.state = 'collecting'
    WHERE a.conversation_id = ${survivor}::bigint AND a.state = 'collecting' AND b.conversation_id = ${ended}::bigint`;
  for (const { kept, gone } of pairs) {
    await tx.$executeRaw`
      UPDATE batch SET first_at = least(batch.first_at, other.first_at), last_at = greatest(batch.last_at, other.last_at),
        due_at = least(batch.due_at, other.due_at)
      FROM batch other WHERE batch.id = ${kept}::bigint AND other.id = ${gone}::bigint`;
    await tx.$executeRaw`UPDATE event SET batch_id = ${kept}::bigint WHERE batch_id = ${gone}::bigint`;
    await tx.$executeRaw`
      UPDATE batch SET state = 'superseded', reason = 'merged', finished_at = oneturn_now() WHERE id = ${gone}::bigint`;
  }
  await tx.$executeRaw`
    UPDATE batch SET conversation_id = ${survivor}::bigint WHERE conversation_id = ${ended}::bigint AND state IN ('collecting', 'queued')`;
  await tx.$executeRaw`UPDATE event SET conversation_id = ${survivor}::bigint WHERE conversation_id = ${ended}::bigint`;
}
