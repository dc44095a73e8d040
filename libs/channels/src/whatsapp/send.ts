import type { ChannelAccount, JsonObject, OutgoingPart, ReplyAddress, SendResult } from '#domain';
import { classifyExchange } from './classify-answer.js';
import { postMessages } from './post-messages.js';

/**
 * Sends one text, once. The API knows no idempotency key: a second POST is a second message, so whatever leaves the
 * outcome open comes back as `unknown`, and only a status with the tracker can settle it. `timeoutMs` bounds the whole
 * exchange. Never rejects.
 */
export async function send(account: ChannelAccount, part: OutgoingPart, timeoutMs: number): Promise<SendResult> {
  const address = addressFields(part.to);
  if (address === null) {
    return { kind: 'failed', error: { code: 'no-address', message: 'neither a phone nor a user id is known' } };
  }
  const body = {
    messaging_product: 'whatsapp',
    ...address,
    // The API knows no threads; whoever names them in the webhook is answered there.
    ...(part.threadId === null ? {} : { thread_id: part.threadId }),
    type: 'text',
    text: { body: part.text, preview_url: false },
    biz_opaque_callback_data: part.tracker,
  };
  return classifyExchange(await postMessages(account, body, timeoutMs));
}

/**
 * A phone goes back exactly as the webhook gave it: Brazilian, Mexican and Argentinian numbers differ from what people
 * dial. A person without one is reached by the business-scoped id, under `recipient`.
 */
function addressFields(to: ReplyAddress): JsonObject | null {
  if (to.kind === 'group') return { recipient_type: 'group', to: to.id };
  if (to.phone !== null) return { recipient_type: 'individual', to: to.phone };
  if (to.userId !== null) return { recipient_type: 'individual', recipient: to.userId };
  return null;
}
