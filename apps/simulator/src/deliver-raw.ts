import { Injectable } from '@nestjs/common';

import { type Account, Accounts } from './accounts.js';
import type { RawRequest } from './control-schema.js';
import type { Delivered } from './deliver-inbound.js';
import { isObject } from './json-fields.js';
import { toMetaJson } from './meta-json.js';
import { NoteRawMessages } from './note-raw-messages.js';
import { Webhooks } from './webhooks.js';

/** Posts a body as it is, signed by the named account, else by the one the body names, else by the first. */
@Injectable()
export class DeliverRaw {
  constructor(
    private readonly accounts: Accounts,
    private readonly notes: NoteRawMessages,
    private readonly webhooks: Webhooks,
  ) {}

  async run(request: RawRequest): Promise<Delivered> {
    const parsed = typeof request.body === 'string' ? parse(request.body) : request.body;
    const account = request.account === undefined ? this.accountIn(parsed) : this.accounts.get(request.account);
    this.notes.run(parsed);
    const body = typeof request.body === 'string' ? Buffer.from(request.body, 'utf8') : toMetaJson(request.body);
    const all = await Promise.all(
      Array.from({ length: request.copies }, () => this.webhooks.deliver(account, body, ['raw'], request.signature)),
    );
    const deliveries = all.map(({ status }) => status);
    return { delivered: deliveries[0] ?? null, deliveries };
  }

  private accountIn(body: unknown): Account {
    const named = /"phone_number_id":"([^"]+)"/.exec(JSON.stringify(body) ?? '')?.[1];
    return (named === undefined ? undefined : this.accounts.find(named)) ?? this.accounts.get();
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
