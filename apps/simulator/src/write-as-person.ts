import { Injectable } from '@nestjs/common';

import { type Account, Accounts } from './accounts.js';
import { textOf } from './check-message.js';
import { Chats } from './chats.js';
import { Clock } from './clock.js';
import type { WriteRequest } from './control-schema.js';
import { type Delivered, DeliverInbound } from './deliver-inbound.js';
import { contactOf, envelope, phoneField, type PhoneShape } from './envelope.js';
import { toMetaJson } from './meta-json.js';
import { People, type Person } from './people.js';
import { mintWamid } from './wamid.js';

type Item = NonNullable<WriteRequest['messages']>[number];

export interface Written extends Delivered {
  id: string;
  ids: string[];
}

/** Writes as one or more people: their chats get the messages, the business gets one signed webhook. */
@Injectable()
export class WriteAsPerson {
  constructor(
    private readonly accounts: Accounts,
    private readonly people: People,
    private readonly chats: Chats,
    private readonly clock: Clock,
    private readonly inbound: DeliverInbound,
  ) {}

  /** Resolves when the first attempt of every copy was answered, or at once when a fault holds the webhook back. */
  async run(request: WriteRequest): Promise<Written> {
    const account = this.accounts.get(request.account);
    const { account: _, messages, copies, ...outer } = request;
    const written = (messages ?? [{}]).map((item) => this.write(account, { ...outer, ...item }));
    const contacts = new Map(written.map(({ person, shape }) => [person.key, contactOf(person, shape)]));
    const body = toMetaJson(
      envelope(account, { contacts: [...contacts.values()], messages: written.map(({ message }) => message) }),
    );
    const ids = written.map(({ id }) => id);
    const delivered = await this.inbound.deliver(account, body, copies, {
      people: written.flatMap(({ chat, person }) => [chat, person.key]),
      text: written.map(({ text }) => text).join('\n'),
      ids,
    });
    return { id: ids[0]!, ids, ...delivered };
  }

  private write(account: Account, item: Item) {
    const person = this.people.learn({
      ...(item.from === undefined ? {} : { waId: item.from }),
      ...(item.userId === undefined ? {} : { userId: item.userId }),
      ...(item.name === undefined ? {} : { name: item.name }),
      ...(item.username === undefined ? {} : { username: item.username }),
    });
    const shape: PhoneShape = item.phone ?? (item.from === undefined ? 'omitted' : 'shown');
    const id = item.id ?? mintWamid(shape === 'shown' ? (person.waId ?? person.userId) : person.userId, 'in');
    const at = item.at ?? Math.floor(this.clock.now() / 1000);
    const content = item.message ?? { type: 'text', text: { body: item.text ?? '' } };
    const message = {
      ...phoneField('from', person, shape),
      ...(shape === 'old' ? {} : { from_user_id: person.userId }),
      id,
      timestamp: String(at),
      ...content,
      ...(item.groupId === undefined ? {} : { group_id: item.groupId }),
      ...(item.threadId === undefined ? {} : { thread_id: item.threadId }),
    };
    const text = textOf(content);
    const chat = item.groupId ?? person.key;
    this.chats.addInbound(account.phoneNumberId, chat, {
      id,
      direction: 'in',
      at: at * 1000,
      type: content.type,
      text,
      from: person.name,
      read: false,
      ...(item.threadId === undefined ? {} : { thread: item.threadId }),
    });
    return { id, message, person: person satisfies Person, shape, chat, text };
  }
}
