import { Injectable } from '@nestjs/common';

import { textOf } from './check-message.js';
import { Chats } from './chats.js';
import { isObject, type JsonObject } from './json-fields.js';
import { People } from './people.js';

/**
 * Messages inside a raw webhook are said by people too: without this, an answer to a replayed payload would be
 * refused for a closed service window. Whatever is malformed is skipped.
 */
@Injectable()
export class NoteRawMessages {
  constructor(
    private readonly people: People,
    private readonly chats: Chats,
  ) {}

  run(body: unknown): void {
    for (const entry of listAt(body, 'entry')) {
      for (const change of listAt(entry, 'changes')) {
        const value = change['value'];
        if (!isObject(value) || !isObject(value['metadata'])) continue;
        const account = stringAt(value['metadata'], 'phone_number_id');
        if (account === undefined) continue;
        for (const message of listAt(value, 'messages')) this.note(account, message, listAt(value, 'contacts'));
      }
    }
  }

  private note(account: string, message: JsonObject, contacts: JsonObject[]): void {
    const from = stringAt(message, 'from');
    const userId = stringAt(message, 'from_user_id');
    const id = stringAt(message, 'id');
    const at = Number(message['timestamp']) * 1000;
    if (id === undefined || (from === undefined && userId === undefined) || !Number.isFinite(at)) return;
    const contact = contacts.find(
      (one) => (userId !== undefined && one['user_id'] === userId) || (from !== undefined && one['wa_id'] === from),
    );
    const name = contact && isObject(contact['profile']) ? stringAt(contact['profile'], 'name') : undefined;
    const person = this.people.learn({
      ...(from === undefined || from === userId ? {} : { waId: from }),
      ...(userId === undefined ? {} : { userId }),
      ...(name === undefined ? {} : { name }),
    });
    this.chats.addInbound(account, stringAt(message, 'group_id') ?? person.key, {
      id,
      direction: 'in',
      at,
      type: stringAt(message, 'type') ?? 'unknown',
      text: textOf(message),
      from: person.name,
      read: false,
    });
  }
}

function listAt(value: unknown, key: string): JsonObject[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function stringAt(value: JsonObject, key: string): string | undefined {
  const field = value[key];
  return typeof field === 'string' && field !== '' ? field : undefined;
}
