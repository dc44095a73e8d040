/** What nobody else would ever come back to: lost sends, early statuses, forgotten takeovers, unannounced cases. */
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  AccountDirectory,
  Database,
  endTakeovers,
  finishErasures,
  policyOfEnv,
  readQueueDepth,
  removeOld,
  settleParkedStatuses,
  settleUnknownParts,
} from '#inbox';
import { Drain, Env, LOG, logEvent, Metrics, RepeatingTask } from '#process';
import type { Log, PassResult } from '#process';
import { Wakeups } from '#queue';
import { announce } from './announce.js';

/** Rows per step: small, so that nobody waits long for a lock. */
const STEP = 100;
/** How often anything is looked for that is older than the retention, ms; while there is some, step follows step. */
const RETENTION_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

@Injectable()
export class Janitor implements OnApplicationBootstrap {
  private readonly tasks: RepeatingTask[];

  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
    private readonly db: Database,
    private readonly accounts: AccountDirectory,
    private readonly wakeups: Wakeups,
    drain: Drain,
    metrics: Metrics,
  ) {
    metrics.gauge('queue_depth', 'messages that wait for a turn', ['of'], async (gauge) => {
      const { total, deepest } = await readQueueDepth(db.prisma);
      gauge.set({ of: 'all conversations' }, total);
      gauge.set({ of: 'the fullest conversation' }, deepest);
    });
    const task = (name: string, run: () => Promise<void>): RepeatingTask =>
      new RepeatingTask({ name, everyMs: env.SWEEP_MS, run, log });
    this.tasks = [
      task('unknown parts', () => this.unknownParts()),
      task('parked statuses', () => this.parkedStatuses()),
      task('takeovers', () => this.takeovers()),
      // Its own task: a slow alert receiver must not hold up the sweeps.
      task('announce', () => announce(this.db, { env, log })),
    ];
    this.tasks.push(new RepeatingTask({ name: 'retention', everyMs: RETENTION_MS, run: () => this.retention(), log }));
    drain.onDrain('janitor', () => Promise.all(this.tasks.map((one) => one.stop())));
  }

  onApplicationBootstrap(): void {
    for (const task of this.tasks) task.start();
  }

  private async unknownParts(): Promise<void> {
    const swept = await settleUnknownParts(this.db, this.accounts, policyOfEnv(this.env), STEP);
    for (const part of swept.lapsed)
      logEvent(this.log, 'part-unknown', { partId: part.id, conversationId: part.conversationId });
    for (const review of swept.reviews) logEvent(this.log, 'review-opened', { ...review });
    if (swept.resent > 0 || swept.reviews.length > 0) {
      this.wakeups.wake('deliveries');
      this.wakeups.wake('turns');
    }
  }

  private async parkedStatuses(): Promise<void> {
    const { unparked } = await settleParkedStatuses(this.db, STEP);
    if (unparked > 0) this.wakeups.wake('events');
  }

  private async takeovers(): Promise<void> {
    const ended = await endTakeovers(this.db, policyOfEnv(this.env));
    if (ended.length === 0) return;
    this.log.info({ conversations: ended.length }, 'takeovers ended by themselves');
    this.wakeups.wake('turns');
  }

  private async retention(): Promise<PassResult> {
    const rules = {
      retentionMs: this.env.RETENTION_DAYS * DAY_MS,
      payloadRetentionMs: Math.min(this.env.PAYLOAD_RETENTION_DAYS, this.env.RETENTION_DAYS) * DAY_MS,
    };
    const removed = await removeOld(this.db, rules, STEP);
    const erased = await finishErasures(this.db, STEP);
    return Object.values(removed).some((count) => count >= STEP) || erased >= STEP ? 'again' : undefined;
  }
}
