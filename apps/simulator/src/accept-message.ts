import { Injectable } from '@nestjs/common';

import type { Account } from './accounts.js';
import type { SendRequest } from './check-message.js';
import { type ChatEntry, Chats } from './chats.js';
import { Clock } from './clock.js';
import type { AcceptedCopy } from './emit-statuses.js';
import type { Refusal } from './graph-error.js';
import { PairLimit } from './pair-limit.js';
import { digits, looksLikeUserId, People } from './people.js';
import { mintWamid } from './wamid.js';

/** The rules of time and rate, then the copy in the person's chat. A repeated POST is a second copy. */
@Injectable()
export class AcceptMessage {
  constructor(
    private readonly people: People,
    private readonly chats: Chats,
    private readonly pairLimit: PairLimit,
    private readonly clock: Clock,
  ) {}

  /** Why the message may not go out now: 131047 (24 h rule, templates excepted) or 131056 (pair limit). */
  refuse(account: Account, request: SendRequest): Refusal | undefined {
    const key = this.chatKey(request);
    const now = this.clock.now();
    if (request.type !== 'template' && !this.chats.serviceWindowOpen(account.phoneNumberId, key, now)) {
      return { code: 131047 };
    }
    return this.pairLimit.take(account.phoneNumberId, key, now) ? undefined : { code: 131056 };
  }

  accept(account: Account, request: SendRequest): AcceptedCopy {
    const byUserId = !request.group && looksLikeUserId(request.input);
    const person = request.group
      ? undefined
      : this.people.learn(byUserId ? { userId: request.input } : { waId: request.input });
    const entry: ChatEntry = {
      id: mintWamid(byUserId ? request.input : (person?.waId ?? request.input), 'out'),
      direction: 'out',
      at: this.clock.now(),
      type: request.type,
      text: request.text,
      tick: 'accepted',
      ...(request.thread === undefined ? {} : { thread: request.thread }),
      ...(request.tracker === undefined ? {} : { tracker: request.tracker }),
    };
    const chat = this.chats.addCopy(account.phoneNumberId, person?.key ?? request.input, entry);
    return { account, chat, entry, person, byUserId };
  }

  /** Person's key or group id. */
  chatKey(request: Pick<SendRequest, 'input' | 'group'>): string {
    if (request.group) return request.input;
    const known = this.people.find(request.input)?.key;
    return known ?? (looksLikeUserId(request.input) ? request.input : digits(request.input));
  }
}

/** Body of the 200: it only means accepted. A send to a user id is answered without a phone. */
export function acceptedAnswer(copy: AcceptedCopy, input: string): object {
  const { person, byUserId } = copy;
  const contact =
    person === undefined
      ? { input }
      : byUserId
        ? { input, user_id: person.userId }
        : { input, wa_id: person.waId, user_id: person.userId };
  return { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id: copy.entry.id }] };
}
