import { Injectable } from '@nestjs/common';

import type { Account } from './accounts.js';
import { checkProduct } from './check-message.js';
import { type Chat, type ChatEntry, Chats } from './chats.js';
import { Clock } from './clock.js';
import type { Refusal } from './graph-error.js';
import { badParameter, checkKeys, isObject, type JsonObject } from './json-fields.js';

const READABLE_MS = 30 * 24 * 3600_000;

/** Marks a message and all earlier ones read, and may show typing; showing typing always marks read. */
@Injectable()
export class MarkRead {
  constructor(
    private readonly chats: Chats,
    private readonly clock: Clock,
  ) {}

  /** A refusal (100 for form, 131009 for an unknown message or one older than 30 days), or nothing when done. */
  run(account: Account, body: JsonObject): Refusal | undefined {
    const malformed = checkReadForm(body);
    if (malformed) return malformed;
    const found = this.chats.findInbound(String(body['message_id']));
    if (found?.chat.account !== account.phoneNumberId || this.clock.now() - found.entry.at > READABLE_MS) {
      return { code: 131009, details: 'Message ID is invalid, unknown, or too old to be marked as read.' };
    }
    this.show(found, body['typing_indicator'] !== undefined);
    return undefined;
  }

  private show(found: { chat: Chat; entry: ChatEntry }, typing: boolean): void {
    this.chats.markRead(found.chat, found.entry);
    if (typing) this.chats.showTyping(found.chat, this.clock.now());
  }
}

function checkReadForm(body: JsonObject): Refusal | undefined {
  const keys = ['messaging_product', 'status', 'message_id', 'typing_indicator'];
  const malformed = checkProduct(body) ?? checkKeys('message', body, keys, ['message_id']);
  if (malformed) return malformed;
  if (body['status'] !== 'read') return badParameter('Param status must be one of {READ}.');
  const typing = body['typing_indicator'];
  if (typing !== undefined && (!isObject(typing) || typing['type'] !== 'text')) {
    return badParameter("Param typing_indicator['type'] must be one of {TEXT}.");
  }
  return undefined;
}
