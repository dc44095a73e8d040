import type { TurnContext, TurnMessage } from '#domain';
import { createHmac } from 'node:crypto';
import { boundHistory } from './bound-history.js';

/** The turn as the `http` assistant gets it: the body, and its headers with the signature over exactly these bytes. */
export function httpRequest(turn: TurnContext, secret: string, historyTokens: number) {
  const { account, conversation, batch } = turn;
  const body = JSON.stringify({
    tenant: turn.tenant,
    account: { channel: account.channel, externalId: account.externalId },
    conversation: {
      id: conversation.id,
      threadId: conversation.threadId,
      contact: { name: conversation.contact.name, aliases: conversation.contact.aliases },
    },
    batch: { id: batch.id, attempt: batch.attempt },
    message: message(turn.message),
    skipped: turn.skipped.map(message),
    totalSinceLastHandler: turn.totalSinceLastHandler,
    messages: turn.messages.map(message),
    history: boundHistory(turn.history, historyTokens).map(({ role, text, at }) => ({ role, text, at })),
  });
  const headers = {
    'content-type': 'application/json',
    'x-oneturn-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'idempotency-key': batch.id,
  };
  return { body, headers };
}

/** Field by field: what else the turn may come to know is not part of the contract. */
function message({ id, type, text, at }: TurnMessage): TurnMessage {
  return { id, type, text, at };
}
