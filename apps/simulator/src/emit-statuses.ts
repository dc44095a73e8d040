import { Injectable } from '@nestjs/common';

import type { Account } from './accounts.js';
import { type Chat, type ChatEntry, Chats } from './chats.js';
import { Clock } from './clock.js';
import { contactOf, envelope } from './envelope.js';
import type { StatusScript, StatusStep } from './fault-schema.js';
import { errorDetails, errorTitle } from './graph-error.js';
import { toMetaJson } from './meta-json.js';
import type { Person } from './people.js';
import { Settings } from './settings.js';
import { Timers } from './timers.js';
import { Webhooks } from './webhooks.js';

/** An accepted message whose statuses are told. */
export interface AcceptedCopy {
  account: Account;
  chat: Chat;
  entry: ChatEntry;
  /** Missing for groups. */
  person: Person | undefined;
  /** The call named a user id: statuses of failures then carry no phone. */
  byUserId: boolean;
}

/** Tells the business what became of an accepted message, by signed webhooks. */
@Injectable()
export class EmitStatuses {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly chats: Chats,
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly settings: Settings,
  ) {}

  /** Lets the scripted statuses follow in order of their delays; each waits for the answer to the one before. */
  async follow(copy: AcceptedCopy, script: StatusScript): Promise<void> {
    const acceptedAt = Date.now();
    const steps = this.stepsOf(script).sort((a, b) => a.afterMs - b.afterMs);
    for (const step of steps) {
      await this.timers.wait(acceptedAt + step.afterMs - Date.now());
      for (let time = 0; time < step.times; time += 1) await this.tell(copy, step);
    }
  }

  /** Posts one status now; resolves with the answer to the first attempt. */
  async tell(copy: AcceptedCopy, step: Pick<StatusStep, 'status' | 'code' | 'tracker'>): Promise<void> {
    this.chats.tick(copy.chat, copy.entry, step.status);
    const body = toMetaJson(envelope(copy.account, this.statusValue(copy, step)));
    await this.webhooks.deliver(copy.account, body, [`status ${copy.entry.id} ${step.status}`]);
  }

  private stepsOf(script: StatusScript): StatusStep[] {
    if (script === 'none') return [];
    if (script !== 'normal') return [...script];
    const { sentMs, deliveredMs, readMs } = this.settings.current.statuses;
    const normal = [
      ['sent', sentMs],
      ['delivered', deliveredMs],
      ['read', readMs],
    ] as const;
    return normal.flatMap(([status, afterMs]) =>
      afterMs === null ? [] : [{ status, afterMs, code: 0, times: 1, tracker: true }],
    );
  }

  private statusValue(copy: AcceptedCopy, step: Pick<StatusStep, 'status' | 'code' | 'tracker'>): object {
    const { entry, person, chat } = copy;
    const failed = step.status === 'failed';
    const recipient =
      person === undefined
        ? { recipient_id: chat.key, recipient_type: 'group' }
        : {
            ...(person.waId === undefined || (failed && copy.byUserId) ? {} : { recipient_id: person.waId }),
            ...(failed && !copy.byUserId ? {} : { recipient_user_id: person.userId }),
          };
    const status = {
      id: entry.id,
      status: step.status,
      timestamp: this.clock.seconds(),
      ...recipient,
      ...(step.tracker && entry.tracker !== undefined ? { biz_opaque_callback_data: entry.tracker } : {}),
      ...(failed
        ? { errors: [failure(step.code)] }
        : { pricing: { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'service' } }),
    };
    // Contacts come with delivered and read, never with failed, and not always with sent.
    const withContacts = person !== undefined && !failed && step.status !== 'sent';
    return { ...(withContacts ? { contacts: [contactOf(person, 'shown')] } : {}), statuses: [status] };
  }
}

function failure(code: number): object {
  return {
    code,
    title: errorTitle(code),
    message: errorTitle(code),
    error_data: { details: errorDetails(code) },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}
