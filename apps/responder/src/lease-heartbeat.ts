/** Renews the leases of this process's turns, and stops a turn that has lost its own. */
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, releaseLeases, renewLeases, turnsHeld, type ClaimedTurn } from '#inbox';
import { deadline, Drain, Env, LOG, monotonicMs, RepeatingTask, type Deadline } from '#process';
import type { Log } from '#process';

export interface HeldLease {
  turn: ClaimedTurn;
  /** Aborts with the reason when the lease is lost, the turn has lasted too long, or the process stops. */
  abort: AbortController;
  /** The lease as far as we know it, counted from when it was asked for: renewals move it on. */
  lease: Deadline;
  /** The longest life of a turn: after it the lease is not renewed. */
  life: Deadline;
}

/** Why a turn was aborted that somebody else has now: it ends without a failure. */
export const LEASE_LOST = 'the lease was lost';

@Injectable()
export class LeaseHeartbeat implements OnApplicationBootstrap {
  private readonly held = new Map<string, HeldLease>();
  private readonly task: RepeatingTask;

  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
    private readonly db: Database,
    drain: Drain,
  ) {
    this.task = new RepeatingTask({
      name: 'lease heartbeat',
      everyMs: env.LEASE_RENEW_MS,
      run: () => this.beat(),
      log,
    });
    // The heartbeat goes on while turns finish; Drain only tells it that the end is near.
    drain.signal.addEventListener('abort', () => this.task.ring());
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** @param askedAt when the claim was asked for, on the monotonic clock: the process may have been frozen since. */
  hold(turn: ClaimedTurn, askedAt: number): HeldLease {
    const held = {
      turn,
      abort: new AbortController(),
      lease: deadline(this.env.LEASE_MS - (monotonicMs() - askedAt)),
      life: deadline(this.env.TURN_MAX_MS),
    };
    this.held.set(keyOf(turn), held);
    return held;
  }

  /** @throws when the lease has run out as far as we know; the turn is stopped then. */
  check(held: HeldLease): void {
    if (held.lease.passed()) held.abort.abort(new Error('the lease ran out'));
    held.abort.signal.throwIfAborted();
  }

  drop(turn: ClaimedTurn): void {
    this.held.delete(keyOf(turn));
  }

  /** A new message may have taken back one of our turns: only under `interrupt`, so that others pay nothing for it. */
  async lookForInterrupts(): Promise<void> {
    const before = [...this.held.values()].filter(
      ({ turn, abort }) => turn.strategy === 'interrupt' && !abort.signal.aborted,
    );
    if (before.length === 0) return;
    const ours = await turnsHeld(
      this.db,
      before.map((held) => held.turn),
    );
    for (const held of before) {
      if (!ours.has(held.turn.batchId) && this.held.has(keyOf(held.turn))) held.abort.abort(new Error(LEASE_LOST));
    }
  }

  /** Stops what still runs and gives back the leases of turns without a tool under way. */
  async giveUp(): Promise<void> {
    const turns = [...this.held.values()];
    for (const held of turns) held.abort.abort(new Error('the process stops'));
    const released = await releaseLeases(
      this.db,
      turns.map((held) => held.turn),
    );
    if (turns.length > 0) this.log.warn({ running: turns.length, released }, 'stopped before every turn had ended');
    await this.task.stop();
  }

  private async beat(): Promise<void> {
    const before = [...this.held.values()];
    for (const held of before) {
      if (held.life.passed()) held.abort.abort(new Error('the turn has lasted longer than TURN_MAX_MS'));
    }
    const renewable = before.filter((held) => !held.life.passed());
    const asked = monotonicMs();
    try {
      const ours = await renewLeases(
        this.db,
        renewable.map((held) => held.turn),
        this.env.LEASE_MS,
      );
      for (const held of renewable) {
        if (ours.has(held.turn.batchId)) held.lease = deadline(this.env.LEASE_MS - (monotonicMs() - asked));
        // Ended in the meantime by itself, or taken.
        else if (this.held.has(keyOf(held.turn))) held.abort.abort(new Error(LEASE_LOST));
      }
    } finally {
      // Without an answer of the database nobody may assume to hold anything past the time it last granted.
      for (const held of renewable) if (held.lease.passed()) held.abort.abort(new Error('the lease ran out'));
    }
  }
}

const keyOf = (turn: ClaimedTurn): string => `${turn.batchId}:${turn.fence}`;
