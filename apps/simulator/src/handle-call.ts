import { Injectable } from '@nestjs/common';

import { acceptedAnswer, AcceptMessage } from './accept-message.js';
import { type Account, Accounts } from './accounts.js';
import type { Answer } from './answer.js';
import { type ApiCall, CallLog } from './call-log.js';
import { checkMessage, recipientOf, textOf } from './check-message.js';
import { Chats } from './chats.js';
import { EmitStatuses } from './emit-statuses.js';
import type { StatusScript } from './fault-schema.js';
import { Faults, type FaultTarget } from './faults.js';
import { graphErrorAnswer, type Refusal } from './graph-error.js';
import { isObject, type JsonObject } from './json-fields.js';
import { MarkRead } from './mark-read.js';
import { Timers } from './timers.js';

/** One POST to /{version}/{phone number id}/messages: who calls, what is scripted, what is refused, what is accepted. */
@Injectable()
export class HandleCall {
  constructor(
    private readonly accounts: Accounts,
    private readonly calls: CallLog,
    private readonly chats: Chats,
    private readonly faults: Faults,
    private readonly acceptMessage: AcceptMessage,
    private readonly markRead: MarkRead,
    private readonly statuses: EmitStatuses,
    private readonly timers: Timers,
  ) {}

  async run(phoneNumberId: string, authorization: string | undefined, raw: Buffer): Promise<Answer> {
    const call = this.calls.open(phoneNumberId);
    const answer = await this.answer(call, phoneNumberId, authorization, raw);
    call.status = answer.kind === 'cut' ? 'cut' : answer.status;
    call.answeredAt = Date.now();
    return answer;
  }

  private async answer(call: ApiCall, id: string, authorization: string | undefined, raw: Buffer): Promise<Answer> {
    const body = parse(raw);
    if (body) this.describe(call, body);
    const account = this.accounts.find(id);
    const refusal = this.authenticate(account, authorization);
    if (refusal) return refuse(call, refusal);
    if (!account || !body) return refuse(call, { code: 100, message: '(#100) The request body is not valid JSON.' });

    const target = { account: id, to: call.to === null ? [] : [call.to], text: call.text ?? '' };
    const on = call.kind === 'send' ? 'send' : 'read';
    const slow = this.strike(call, ['latency'], on, target);
    if (slow?.when === 'before') await this.timers.wait(slow.ms);
    const scripted = this.scriptedAnswer(call, on, target);
    const answer = scripted ?? (await this.serve(call, account, body, target));
    if (slow?.when === 'after') await this.timers.wait(slow.ms);
    return answer;
  }

  private authenticate(account: Account | undefined, authorization: string | undefined): Refusal | undefined {
    const token = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined || !this.accounts.knowsToken(token)) {
      return { code: 190, subcode: 463, message: 'Error validating access token: Session has expired' };
    }
    if (account?.accessToken === token) return undefined;
    return {
      code: 100,
      subcode: 33,
      message:
        'Unsupported post request. Object with this ID does not exist, cannot be loaded due to missing permissions, or does not support this operation',
    };
  }

  private scriptedAnswer(call: ApiCall, on: 'send' | 'read', target: FaultTarget): Answer | undefined {
    const fault = this.strike(call, ['error', 'http', 'cut-before'], on, target);
    if (fault === undefined) return undefined;
    switch (fault.kind) {
      case 'error':
        return refuse(call, fault);
      case 'http':
        return { kind: 'bytes', status: fault.status, body: fault.body, headers: fault.headers };
      case 'cut-before':
        return { kind: 'cut' };
    }
  }

  private async serve(call: ApiCall, account: Account, body: JsonObject, target: FaultTarget): Promise<Answer> {
    if (call.kind !== 'send') {
      const refusal = this.markRead.run(account, body);
      if (refusal) return refuse(call, refusal);
      call.accepted = true;
      return { kind: 'json', status: 200, body: { success: true } };
    }
    const checked = checkMessage(body);
    if ('refusal' in checked) return refuse(call, checked.refusal);
    const refusal = this.acceptMessage.refuse(account, checked.request);
    if (refusal) return refuse(call, refusal);

    const copy = this.acceptMessage.accept(account, checked.request);
    call.accepted = true;
    call.wamid = copy.entry.id;
    const fault = this.strike(call, ['cut-after', 'early-status', 'failed-later', 'statuses'], 'send', target);
    let follow: StatusScript = 'normal';
    if (fault?.kind === 'failed-later') {
      follow = [{ status: 'failed', code: fault.code, afterMs: fault.afterMs, times: 1, tracker: true }];
    } else if (fault) {
      follow = fault.statuses;
    }
    if (fault?.kind === 'early-status') {
      await this.statuses.tell(copy, { status: fault.status, code: 0, tracker: true });
      await this.timers.wait(fault.holdMs);
    }
    void this.statuses.follow(copy, follow);
    if (fault?.kind === 'cut-after') return { kind: 'cut' };
    return { kind: 'json', status: 200, body: acceptedAnswer(copy, checked.request.input) };
  }

  /** Fills the log entry from a body that may be malformed. */
  private describe(call: ApiCall, body: JsonObject): void {
    if (body['status'] !== undefined) {
      call.kind = body['typing_indicator'] === undefined ? 'read' : 'typing';
      call.messageId = String(body['message_id']);
      const chat = this.chats.findInbound(call.messageId)?.chat;
      if (chat) this.calls.address(call, chat.key);
      return;
    }
    const input = recipientOf(body);
    const tracker = body['biz_opaque_callback_data'];
    call.type = typeof body['type'] === 'string' ? body['type'] : 'text';
    call.text = textOf(body);
    call.tracker = typeof tracker === 'string' ? tracker : null;
    if (input === undefined) return;
    call.input = input;
    this.calls.address(call, this.acceptMessage.chatKey({ input, group: body['recipient_type'] === 'group' }));
  }

  private readonly strike = <K extends Parameters<Faults['strike']>[0][number]>(
    call: ApiCall,
    kinds: readonly K[],
    on: 'send' | 'read',
    target: FaultTarget,
  ) => {
    const fault = this.faults.strike(kinds, on, target);
    if (fault) call.fault.push(fault.kind);
    return fault;
  };
}

function refuse(call: ApiCall, refusal: Refusal): Answer {
  call.error = refusal.code;
  return { kind: 'json', ...graphErrorAnswer(refusal) };
}

function parse(raw: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
