/** What a person of the business writes goes out through the same outbox as the assistant's parts. */
import { serviceWindowOpen, splitReply } from '#domain';
import { applyTakeover } from './apply-takeover.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { holdConversation, type HeldConversation } from './hold-conversation.js';
import type { OpenedReview } from './open-reviews.js';

/** What the conversation's channel allows. */
export interface SendLimits {
  /** Longest text of one part, UTF-16 units. */
  partLength: number;
  /** ms; null: replies are always allowed. */
  serviceWindowMs: number | null;
}

/** The limits of a channel by its name; null for a channel that nothing can be sent to. */
export type LimitsOf = (channel: string) => SendLimits | null;

export type Written =
  | { kind: 'queued'; conversationId: string; partIds: string[]; reviews: OpenedReview[] }
  | { kind: 'window-closed' }
  | { kind: 'empty' }
  | { kind: 'no-channel' }
  | { kind: 'missing' };

export interface OperatorMessage {
  conversationId: string;
  text: string;
  /** Who writes, as it is shown to others. */
  by: string;
  /** How long the takeover lasts that writing implies or extends, ms. */
  takeoverMs: number;
}

/** Writing to a customer takes the conversation over, as a message from the business's phone does. */
export function operatorMessage(db: Database, message: OperatorMessage, limitsOf: LimitsOf): Promise<Written> {
  return inTransaction(db, async (tx): Promise<Written> => {
    const conversation = await holdConversation(tx, message.conversationId);
    if (!conversation) return { kind: 'missing' };
    const written = await writeParts(tx, conversation, message.text, message.by, limitsOf);
    if (written.kind !== 'queued') return written;
    const { id, now } = conversation;
    const reviews = await applyTakeover(tx, [id], message.by, now + message.takeoverMs, now);
    return { ...written, reviews };
  });
}

/** Puts the text into the outbox. The caller holds the conversation; nothing is taken over here. */
export async function writeParts(
  tx: Tx,
  conversation: HeldConversation,
  text: string,
  by: string,
  limitsOf: LimitsOf,
): Promise<Written> {
  const limits = limitsOf(conversation.channel);
  if (!limits) return { kind: 'no-channel' };
  const { id, lastInboundAt, now } = conversation;
  if (!serviceWindowOpen(lastInboundAt, limits.serviceWindowMs, now)) return { kind: 'window-closed' };
  const parts = splitReply(text, limits.partLength);
  if (parts.length === 0) return { kind: 'empty' };
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH reply AS MATERIALIZED (SELECT nextval('reply_order') AS number), latest AS MATERIALIZED (
      SELECT thread FROM event WHERE conversation_id = ${id}::bigint AND thread IS NOT NULL AND kind = 'message'
      ORDER BY id DESC LIMIT 1)
    INSERT INTO part (conversation_id, thread, reply, index, author, operator, text, state, next_attempt_at, created_at)
    SELECT ${id}::bigint, coalesce((SELECT thread FROM latest), 'main'), reply.number, row.place - 1, 'operator', ${by},
      row.text, 'pending', from_epoch_ms(${now}), from_epoch_ms(${now})
    FROM reply, unnest(${parts}::text[]) WITH ORDINALITY AS row (text, place)
    ORDER BY row.place RETURNING id::text`;
  await tx.$executeRaw`UPDATE conversation SET operator_at = from_epoch_ms(${now}) WHERE id = ${id}::bigint`;
  return { kind: 'queued', conversationId: id, partIds: rows.map((row) => row.id), reviews: [] };
}
