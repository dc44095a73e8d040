import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

import { type Account } from './accounts.js';
import { BoundedLog } from './bounded-log.js';
import { signBody } from './meta-json.js';
import { openAgents, postBytes, type Posted } from './post-bytes.js';
import { Settings } from './settings.js';
import { Timers } from './timers.js';

/** One POST of a webhook; retries are deliveries of their own. */
export interface Delivery extends Posted {
  n: number;
  /** Epoch ms, real time. */
  at: number;
  tookMs: number | null;
  account: string;
  /** What the body holds: `message <id>`, `status <id> sent`, `raw`. */
  holds: string[];
  attempt: number;
  bytes: number;
  /** Epoch ms of the next attempt, when there will be one. */
  retryAt: number | null;
}

interface Webhook {
  account: string;
  url: string;
  body: Buffer;
  signature: string | null;
  holds: string[];
  firstAt: number;
}

const LIMIT = 50_000;
const TIMEOUT_MS = 20_000;

/** Posts signed webhooks and repeats the identical bytes until the receiver says 200, as Meta does. */
@Injectable()
export class Webhooks implements OnApplicationShutdown {
  private readonly log = new BoundedLog<Delivery>(LIMIT);
  private readonly agents = openAgents();
  private count = 0;
  private waiting = 0;
  /** Given up: too old, or too many waiting. */
  dropped = 0;

  constructor(
    private readonly settings: Settings,
    private readonly timers: Timers,
  ) {}

  /**
   * Posts `body` and resolves with the answer to the first attempt; later ones go on by themselves.
   * `signature` replaces the right one; null leaves the header out.
   */
  async deliver(account: Account, body: Buffer, holds: string[], signature?: string | null): Promise<Delivery> {
    return this.attempt(
      {
        account: account.phoneNumberId,
        url: account.webhookUrl,
        body,
        signature: signature === undefined ? signBody(account.appSecret, body) : signature,
        holds,
        firstAt: Date.now(),
      },
      1,
    );
  }

  list(after = 0): Delivery[] {
    return this.log.all().filter((delivery) => delivery.n > after);
  }

  get pendingRetries(): number {
    return this.waiting;
  }

  clear(): void {
    this.log.clear();
  }

  onApplicationShutdown(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }

  private async attempt(webhook: Webhook, attempt: number): Promise<Delivery> {
    const { account, holds, body } = webhook;
    const at = Date.now();
    const delivery: Delivery = {
      n: (this.count += 1),
      at,
      tookMs: null,
      account,
      holds,
      attempt,
      bytes: body.length,
      status: null,
      retryAt: null,
    };
    this.log.add(delivery);
    const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'facebookexternalua' };
    if (webhook.signature !== null) headers['x-hub-signature-256'] = webhook.signature;
    Object.assign(delivery, await postBytes(this.agents, webhook.url, body, headers, TIMEOUT_MS));
    delivery.tookMs = Date.now() - at;
    if (delivery.status !== 200) delivery.retryAt = this.retryLater(webhook, attempt);
    return delivery;
  }

  private retryLater(webhook: Webhook, attempt: number): number | null {
    const { baseMs, maxDelayMs, maxAgeMs, maxPending } = this.settings.current.retry;
    const delay = Math.min(maxDelayMs, baseMs * 2 ** (attempt - 1));
    const at = Date.now() + delay;
    if (this.waiting >= maxPending || at - webhook.firstAt > maxAgeMs) {
      this.dropped += 1;
      return null;
    }
    this.waiting += 1;
    this.timers.after(delay, () => {
      this.waiting -= 1;
      void this.attempt(webhook, attempt + 1);
    });
    return at;
  }
}
