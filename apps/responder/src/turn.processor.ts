/** The claim loop of turns: rung by wake-ups, freed slots and the sweep; concurrency is its semaphore's. */
import { Inject, Injectable, Optional, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import {
  AccountDirectory,
  claimTurns,
  Database,
  isolateBatch,
  PolicyChoices,
  policyOfEnv,
  readyBatches,
  type ClaimedTurn,
  type OpenedReview,
  type ReadyBatch,
} from '#inbox';
import { Drain, Env, LOG, logEvent, Metrics, monotonicMs, RepeatingTask, Semaphore, settlesWithin } from '#process';
import type { Log, PassResult } from '#process';
import { Consumers } from '#queue';
import { LeaseHeartbeat } from './lease-heartbeat.js';
import { oneByOneOnFailure } from './one-by-one.js';
import { RunTurn } from './run-turn.js';

/** Batches of one claim: more in one transaction would lock many conversations for long. */
const CLAIM_AT_ONCE = 20;
/** Kept of the grace for giving back what did not end, ms. */
const GIVE_UP_MS = 500;

@Injectable()
export class TurnProcessor implements OnModuleInit, OnApplicationBootstrap {
  private readonly holder = randomUUID();
  private readonly slots: Semaphore;
  private readonly task: RepeatingTask;
  private readonly overlaps;

  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
    private readonly db: Database,
    private readonly accounts: AccountDirectory,
    private readonly consumers: Consumers,
    private readonly turns: RunTurn,
    private readonly heartbeat: LeaseHeartbeat,
    drain: Drain,
    metrics: Metrics,
    @Optional() private readonly choices?: PolicyChoices,
  ) {
    this.overlaps = metrics.counter('overlaps_total', 'messages by what others did to them', ['strategy', 'reason']);
    this.slots = new Semaphore(env.TURN_CONCURRENCY);
    // Without Redis a wake-up takes two hops through Postgres: looking often is quicker than waiting for it.
    const everyMs = env.REDIS_URL === undefined ? Math.min(env.POLL_MS, env.SWEEP_MS) : env.SWEEP_MS;
    this.task = new RepeatingTask({ name: 'claim turns', everyMs, run: () => this.pass(), log });
    drain.onDrain('turns', () => this.rest());
  }

  onModuleInit(): void {
    this.consumers.consume('turns', () => this.task.ring());
  }

  onApplicationBootstrap(): void {
    this.turns.onFree(() => this.task.ring());
    this.task.start();
  }

  private async pass(): Promise<PassResult> {
    await this.heartbeat.lookForInterrupts();
    const limit = Math.min(this.slots.free, CLAIM_AT_ONCE);
    if (limit === 0) return;
    const ready = await readyBatches(this.db.prisma, limit);
    const moved = await oneByOneOnFailure(
      ready,
      (batches) => this.claim(batches),
      async (batch, error) => this.tell(await isolateBatch(this.db, batch, error)),
      this.log,
    );
    return moved > 0 && this.slots.free > 0 ? 'again' : undefined;
  }

  /** Resolves to how many batches moved on: got a turn, or were closed without one (a backlog of late ones). */
  private async claim(ready: ReadyBatch[]): Promise<number> {
    const askedAt = monotonicMs();
    const claimed = await claimTurns(this.db, this.accounts, ready, {
      holder: this.holder,
      leaseMs: this.env.LEASE_MS,
      policy: policyOfEnv(this.env),
      choices: this.choices,
      maxTurnsPerDay: this.env.MAX_TURNS_PER_DAY,
    });
    this.tell(claimed.reviews);
    for (const { event, ...news } of claimed.overlaps) {
      this.overlaps.inc({ strategy: news.strategy, reason: news.reason });
      if (event !== null) logEvent(this.log, event, news);
    }
    for (const turn of claimed.turns) this.start(turn, askedAt);
    return claimed.turns.length + claimed.ended;
  }

  private tell(reviews: OpenedReview[]): void {
    for (const review of reviews) logEvent(this.log, 'review-opened', { ...review });
  }

  private start(turn: ClaimedTurn, askedAt: number): void {
    this.slots.tryTake();
    void this.turns.run(turn, askedAt).finally(() => {
      this.slots.release();
      this.task.ring();
    });
  }

  /** No new claims; what runs may end; what does not end in time keeps its lease or gives it back. */
  private async rest(): Promise<void> {
    await this.task.stop();
    await settlesWithin(this.slots.idle(), Math.max(0, this.env.SHUTDOWN_GRACE_MS - GIVE_UP_MS));
    await this.heartbeat.giveUp();
  }
}
