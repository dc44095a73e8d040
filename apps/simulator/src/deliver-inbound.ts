import { Injectable } from '@nestjs/common';

import type { Account } from './accounts.js';
import { Faults } from './faults.js';
import { Timers } from './timers.js';
import { Webhooks } from './webhooks.js';

export interface Delivered {
  /** Answer to the first attempt: HTTP status, null without an answer; `held` or `delayed` when it goes later. */
  delivered: number | null | 'held' | 'delayed';
  /** The same for every copy. */
  deliveries: (number | null)[];
}

/** What the webhook holds, for faults and the log. */
export interface InboundContent {
  people: readonly string[];
  text: string;
  ids: readonly string[];
}

/** Posts webhooks with messages, as the scripted inbound faults want it: doubled, late, or in another order. */
@Injectable()
export class DeliverInbound {
  private held: (() => void)[] = [];

  constructor(
    private readonly webhooks: Webhooks,
    private readonly faults: Faults,
    private readonly timers: Timers,
  ) {}

  async deliver(account: Account, body: Buffer, copies: number, content: InboundContent): Promise<Delivered> {
    const target = { account: account.phoneNumberId, to: content.people, text: content.text };
    const extra = this.faults.strike(['duplicate'], 'inbound', target)?.n ?? 0;
    const late = this.faults.strike(['delay', 'reorder'], 'inbound', target);
    const holds = content.ids.map((id) => `message ${id}`);
    const send = async (): Promise<(number | null)[]> => {
      const all = await Promise.all(
        Array.from({ length: copies + extra }, () => this.webhooks.deliver(account, body, holds)),
      );
      return all.map(({ status }) => status);
    };
    if (late?.kind === 'delay') {
      this.timers.after(late.ms, () => void send());
      return { delivered: 'delayed', deliveries: [] };
    }
    if (late?.kind === 'reorder') {
      this.hold(() => void send(), late.maxHoldMs);
      return { delivered: 'held', deliveries: [] };
    }
    const deliveries = await send();
    this.release();
    return { delivered: deliveries[0] ?? null, deliveries };
  }

  private hold(send: () => void, maxHoldMs: number): void {
    this.held.push(send);
    this.timers.after(maxHoldMs, () => {
      if (!this.held.includes(send)) return;
      this.held = this.held.filter((other) => other !== send);
      send();
    });
  }

  private release(): void {
    const waiting = this.held;
    this.held = [];
    for (const send of waiting) send();
  }
}
