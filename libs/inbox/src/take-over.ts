/** A person takes a conversation from the assistant, or extends that. */
import { applyTakeover } from './apply-takeover.js';
import { inTransaction, type Database } from './database.js';
import { holdConversation } from './hold-conversation.js';
import type { OpenedReview } from './open-reviews.js';

export type TakenOver =
  { kind: 'taken-over'; conversationId: string; until: number; reviews: OpenedReview[] } | { kind: 'missing' };

/**
 * @param by who takes over, as it is shown to others.
 * @param forMs how long, unless they write again; ms.
 */
export function takeOver(db: Database, conversationId: string, by: string, forMs: number): Promise<TakenOver> {
  return inTransaction(db, async (tx): Promise<TakenOver> => {
    const conversation = await holdConversation(tx, conversationId);
    if (!conversation) return { kind: 'missing' };
    const { id, now } = conversation;
    const reviews = await applyTakeover(tx, [id], by, now + forMs, now);
    return { kind: 'taken-over', conversationId: id, until: now + forMs, reviews };
  });
}
