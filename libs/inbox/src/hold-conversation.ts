/** Locks the one conversation that a person means, also when it has been merged into another since they saw it. */
import type { Tx } from './database.js';
import { lockConversations, readClock } from './lock-conversations.js';
import { isRowId } from './row-id.js';

export interface HeldConversation {
  /** The survivor's id after a merge. */
  id: string;
  accountId: string;
  channel: string;
  takenOver: boolean;
  /** Provider time, epoch ms. */
  lastInboundAt: number | null;
  /** Read after the lock, epoch ms. */
  now: number;
}

/** Null when there is no such conversation. */
export async function holdConversation(tx: Tx, id: string): Promise<HeldConversation | null> {
  if (!isRowId(id)) return null;
  for (let wanted = id, hops = 0; hops < 8; hops++) {
    // Followed before the lock is taken: a survivor has the lower id, and locks go by rising ids.
    const found = await tx.$queryRaw<{ id: string; channel: string }[]>`
      SELECT coalesce(c.merged_into_id, c.id)::text AS id, account.channel
      FROM conversation c JOIN account ON account.id = c.account_id WHERE c.id = ${wanted}::bigint`;
    if (!found[0]) return null;
    const { id: survivor, channel } = found[0];
    const conversation = (await lockConversations(tx, [survivor])).get(survivor);
    if (!conversation) return null;
    if (conversation.mergedInto === null) {
      const { accountId, takenOver, lastInboundAt } = conversation;
      return { id: survivor, accountId, channel, takenOver, lastInboundAt, now: await readClock(tx) };
    }
    wanted = conversation.mergedInto;
  }
  return null;
}
