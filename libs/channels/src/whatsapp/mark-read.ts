import type { ChannelAccount } from '#domain';
import { postMessages } from './post-messages.js';

/**
 * Marks a message and all before it as read; with `typing`, also shows the typing indicator until a reply comes or 25 s
 * have passed (Meta, typing indicators: there is none without the read mark). False when refused or unanswered: nobody
 * waits for it, and the reply does not depend on it. Never rejects.
 */
export async function markRead(
  account: ChannelAccount,
  messageId: string,
  typing: boolean,
  timeoutMs: number,
): Promise<boolean> {
  const body = {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: messageId,
    ...(typing ? { typing_indicator: { type: 'text' } } : {}),
  };
  const exchange = await postMessages(account, body, timeoutMs);
  return exchange.kind === 'answer' && exchange.status >= 200 && exchange.status < 300;
}
