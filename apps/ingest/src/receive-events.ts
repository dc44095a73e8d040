/** A webhook's way: signature, split, group commit, then the wake-up. The answer is the caller's. */
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { verifySignature, whatsapp } from '#channels';
import { accountKey } from '#domain';
import { AccountDirectory, Database, storeEvents, type Stored } from '#inbox';
import { Drain, Env, LOG, logEvent, Metrics, Semaphore } from '#process';
import type { Log } from '#process';
import { Wakeups } from '#queue';
import { GroupCommit } from './group-commit.js';
import { toNewEvents } from './to-new-events.js';

export type Received = 'stored' | 'forbidden' | 'unavailable';

@Injectable()
export class ReceiveEvents {
  private readonly process = randomUUID();
  private group = 0;
  private readonly slots: Semaphore;
  private readonly commits: GroupCommit<Stored>;
  private readonly answers;
  private readonly events;

  constructor(
    @Inject(Env) env: Env,
    private readonly db: Database,
    private readonly accounts: AccountDirectory,
    private readonly wakeups: Wakeups,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
    drain: Drain,
  ) {
    this.slots = new Semaphore(env.MAX_IN_FLIGHT);
    // Until then the listener stays open, so that whoever asks is told that this service is not ready any more.
    drain.onDrain('webhooks', () => this.slots.idle());
    this.commits = new GroupCommit((events) =>
      storeEvents(this.db, events, { process: this.process, group: this.group++ }).then((stored) => this.count(stored)),
    );
    const webhooks = metrics.counter('webhooks_total', 'webhooks by answer', ['answer']);
    // Looked up once: the labels of each webhook would cost more than counting it.
    this.answers = {
      stored: webhooks.labels('stored'),
      forbidden: webhooks.labels('forbidden'),
      unavailable: webhooks.labels('unavailable'),
    };
    this.events = metrics.counter('events_total', 'events by novelty', ['novelty']);
  }

  async whatsapp(body: Buffer, signature: string | undefined): Promise<Received> {
    const answer = await this.receive(body, signature);
    this.answers[answer].inc();
    return answer;
  }

  private async receive(body: Buffer, signature: string | undefined): Promise<Received> {
    // Before the accounts have been read nothing can be judged: not forbidden, just not yet.
    if (this.accounts.isEmpty && !(await this.learn([]))) return 'unavailable';
    const secret = verifySignature(body, signature, this.accounts.secretsOf('whatsapp'));
    if (secret === null) return 'forbidden';
    if (!this.slots.tryTake()) return 'unavailable';
    try {
      return await this.store(body, secret);
    } catch (error) {
      this.log.warn({ err: error }, 'a webhook could not be stored');
      return 'unavailable';
    } finally {
      this.slots.release();
    }
  }

  private async store(body: Buffer, secret: string): Promise<Received> {
    const items = whatsapp.parse(body);
    const named = items.flatMap((item) =>
      item.accountExternalId === null ? [] : [accountKey('whatsapp', item.accountExternalId)],
    );
    if (named.some((key) => this.accounts.findByKey(key) === undefined)) await this.learn(named);
    const events = toNewEvents('whatsapp', items, secret, (key) => this.accounts.findByKey(key));
    if (events.length === 0) return 'stored';
    await this.commits.add(events, body.length);
    this.wakeups.wake('events');
    return 'stored';
  }

  /** Accounts are rows that may be new since the last look. True when at least one is known. */
  private async learn(keys: string[]): Promise<boolean> {
    try {
      if (keys.length === 0) await this.accounts.refresh();
      else await this.accounts.know(keys);
    } catch (error) {
      this.log.warn({ err: error }, 'the accounts could not be read');
    }
    return !this.accounts.isEmpty;
  }

  /** Once per group: its webhooks share the statement and so the count. */
  private count(stored: Stored): Stored {
    this.events.inc({ novelty: 'new' }, stored.fresh);
    this.events.inc({ novelty: 'duplicate' }, stored.duplicates);
    if (stored.duplicates > 0) logEvent(this.log, 'message-duplicate', { count: stored.duplicates });
    if (stored.isolated > 0)
      this.log.warn({ count: stored.isolated }, 'events were refused as data and stored for review');
    return stored;
  }
}
