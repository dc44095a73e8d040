/** The claim loop of deliveries: its own worker, so that a channel's rate limit never holds an assistant's slot. */
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { driverFor } from '#channels';
import {
  AccountDirectory,
  claimParts,
  Database,
  isolatePart,
  readyParts,
  type ClaimedPart,
  type OpenedReview,
  type ReadyPart,
} from '#inbox';
import { deadline, Drain, Env, LOG, logEvent, RepeatingTask, Semaphore, settlesWithin, type Deadline } from '#process';
import type { Log, PassResult } from '#process';
import { Consumers, Wakeups } from '#queue';
import { DeliverPart } from './deliver-part.js';
import { oneByOneOnFailure } from './one-by-one.js';

const CLAIM_AT_ONCE = 20;
/** Beside the send itself: the claim's commit before it and the settling after it, ms. */
const LEASE_MARGIN_MS = 1000;

@Injectable()
export class DeliveryProcessor implements OnModuleInit, OnApplicationBootstrap {
  private readonly holder = randomUUID();
  private readonly slots: Semaphore;
  private readonly task: RepeatingTask;
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
    private readonly db: Database,
    private readonly accounts: AccountDirectory,
    private readonly consumers: Consumers,
    private readonly wakeups: Wakeups,
    private readonly deliver: DeliverPart,
    drain: Drain,
  ) {
    this.slots = new Semaphore(env.DELIVERY_CONCURRENCY);
    const everyMs = env.REDIS_URL === undefined ? Math.min(env.POLL_MS, env.SWEEP_MS) : env.SWEEP_MS;
    this.task = new RepeatingTask({ name: 'claim parts', everyMs, run: () => this.pass(), log });
    drain.onDrain('deliveries', () => this.rest());
  }

  onModuleInit(): void {
    this.consumers.consume('deliveries', () => this.task.ring());
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  private async pass(): Promise<PassResult> {
    const limit = Math.min(this.slots.free, CLAIM_AT_ONCE);
    if (limit === 0) return;
    const leaseMs = this.env.SEND_TIMEOUT_MS * 1.5 + LEASE_MARGIN_MS;
    // Counted from before the claim: the database's lease cannot have begun earlier.
    const sendBy = deadline(leaseMs - this.env.SEND_TIMEOUT_MS);
    await this.accounts.refresh();
    const ready = await readyParts(this.db, limit);
    // Of an account that is not known nothing could be judged: neither its service window nor who speaks for it.
    for (const part of ready) await this.accounts.knowId(part.accountId);
    const moved = await oneByOneOnFailure(
      ready,
      (parts) => this.claim(parts, leaseMs, sendBy),
      async (part, error) => this.tell(await isolatePart(this.db, part, error)),
      this.log,
    );
    return moved > 0 ? 'again' : undefined;
  }

  /** Resolves to how many parts moved on: sent or held. */
  private async claim(ready: ReadyPart[], leaseMs: number, sendBy: Deadline): Promise<number> {
    const claimed = await claimParts(this.db, ready, {
      holder: this.holder,
      leaseMs,
      gapMs: this.env.PART_GAP_MS,
      serviceWindowMs: (id) => this.windowOf(id),
    });
    this.tell(claimed.reviews);
    if (claimed.held > 0) this.wakeups.wake('turns');
    for (const part of claimed.parts) this.start(part, sendBy);
    return claimed.parts.length + claimed.held;
  }

  private tell(reviews: OpenedReview[]): void {
    for (const review of reviews) logEvent(this.log, 'review-opened', { ...review });
  }

  private windowOf(accountId: string): number | null {
    const account = this.accounts.findById(accountId);
    return (account && driverFor(account.channel)?.limits.serviceWindowMs) ?? null;
  }

  private start(part: ClaimedPart, sendBy: Deadline): void {
    this.slots.tryTake();
    void this.deliver
      .run(part, sendBy)
      .then((nextInMs) => this.ringIn(nextInMs))
      .finally(() => {
        this.slots.release();
        this.task.ring();
      });
  }

  /** What follows in the conversation is free after the gap, or after its pause: look then, not only at the sweep. */
  private ringIn(ms: number): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        this.task.ring();
      },
      Math.max(1, ms),
    );
    this.timers.add(timer);
  }

  private async rest(): Promise<void> {
    await this.task.stop();
    for (const timer of this.timers) clearTimeout(timer);
    await settlesWithin(this.slots.idle(), this.env.SHUTDOWN_GRACE_MS);
  }
}
