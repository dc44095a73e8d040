/** One turn, as a straight list of steps: load, show presence, ask the assistant, finish or fail. */
import { Inject, Injectable } from '@nestjs/common';
import { handToPersonTool, openingHoursTool } from '#assistant';
import {
  policyFor,
  StaleFenceError,
  type Assistant,
  type AssistantAnswer,
  type JournalStep,
  type ModelUsage,
  type Tool,
} from '#domain';
import {
  AccountDirectory,
  addNoteTool,
  createJournal,
  Database,
  failTurn,
  finishTurn,
  holdAppointmentTool,
  loadTurn,
  policyOfEnv,
  type Account,
  type ClaimedTurn,
} from '#inbox';
import { Env, LOG, logEvent, Metrics, sleep } from '#process';
import type { Log } from '#process';
import { Wakeups } from '#queue';
import { ASSISTANT, INSTRUCTIONS } from './assistant-of-env.js';
import { LEASE_LOST, LeaseHeartbeat, type HeldLease } from './lease-heartbeat.js';
import { Presence } from './presence.js';

/** Tries of a finish whose commit answer was lost; it is safe to repeat. */
const FINISH_TRIES = 5;
const FINISH_PAUSE_MS = 200;

@Injectable()
export class RunTurn {
  private readonly tools: Tool[];
  private readonly durations;
  private readonly waits;
  private free: () => void = () => undefined;

  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
    private readonly db: Database,
    private readonly accounts: AccountDirectory,
    @Inject(ASSISTANT) private readonly assistant: Assistant,
    @Inject(INSTRUCTIONS) private readonly instructions: string,
    private readonly heartbeat: LeaseHeartbeat,
    private readonly presence: Presence,
    private readonly wakeups: Wakeups,
    metrics: Metrics,
  ) {
    this.tools = [holdAppointmentTool(db), addNoteTool(db), openingHoursTool(), handToPersonTool];
    this.durations = metrics.histogram('turn_seconds', 'length of turns', ['outcome']);
    this.waits = metrics.histogram('turn_wait_seconds', 'from due to the start of the turn');
  }

  /** Called when a conversation may have become free for its next batch. */
  onFree(listener: () => void): void {
    this.free = listener;
  }

  /**
   * Never rejects: whatever happens is the turn's outcome.
   * @param askedAt when the claim was asked for, on the monotonic clock.
   */
  async run(turn: ClaimedTurn, askedAt: number): Promise<void> {
    const held = this.heartbeat.hold(turn, askedAt);
    const fields = {
      batchId: turn.batchId,
      conversationId: turn.conversationId,
      attempt: turn.attempt,
      fence: turn.fence,
    };
    const log = this.log.child(fields);
    this.waits.observe(Math.max(0, turn.claimedAt - turn.dueAt) / 1000);
    const done = this.durations.startTimer();
    logEvent(log, 'turn-started', { messages: turn.messages.length, waitedMs: turn.claimedAt - turn.dueAt });
    try {
      const account = await this.accounts.knowId(turn.accountId);
      if (!account) throw new Error(`the account ${turn.accountId} of this conversation is not known`);
      const { answer, usage } = await this.answer(turn, account, held);
      done({ outcome: await this.finish(turn, answer, usage, log) });
    } catch (error) {
      done({ outcome: await this.fail(turn, error, held, log) });
    } finally {
      this.heartbeat.drop(turn);
    }
  }

  private async answer(turn: ClaimedTurn, account: Account, held: HeldLease) {
    const { context, latestMessageId } = await loadTurn(this.db, turn, account, this.instructions);
    const journal = createJournal(this.db, turn);
    const hide = this.presence.show(account, latestMessageId);
    try {
      const answer = await this.assistant.answer(context, {
        journal,
        tools: this.tools,
        signal: held.abort.signal,
        stillHeld: () => this.heartbeat.check(held),
      });
      return { answer, usage: sumUsage(await journal.steps()) };
    } finally {
      hide();
    }
  }

  private async finish(
    turn: ClaimedTurn,
    answer: AssistantAnswer,
    usage: ModelUsage | null,
    log: Log,
  ): Promise<string> {
    const finishing = { ...turn, assistant: this.assistant.name, usage };
    for (let attempt = 1; ; attempt++) {
      try {
        const finished = await finishTurn(this.db, finishing, answer);
        if (finished.kind === 'stale') return this.stale(log);
        logEvent(log, 'turn-finished', { outcome: finished.state, parts: finished.parts });
        for (const review of finished.reviews) logEvent(log, 'review-opened', { ...review });
        if (finished.parts > 0) this.wakeups.wake('deliveries');
        this.free();
        return finished.state;
      } catch (error) {
        // The commit may have happened: the next try reads it back, it does not do it again.
        if (attempt === FINISH_TRIES) throw error;
        log.warn({ err: error }, 'a finish was not confirmed: looking again');
        await sleep(FINISH_PAUSE_MS * attempt);
      }
    }
  }

  private async fail(turn: ClaimedTurn, cause: unknown, held: HeldLease, log: Log): Promise<string> {
    if (cause instanceof StaleFenceError) return this.stale(log);
    const { signal } = held.abort;
    const error = describe(signal.aborted ? signal.reason : cause);
    // On a stop the lease is given back or kept; a failed attempt would make the batch wait.
    if (signal.aborted && error === 'the process stops') return 'stopped';
    if (signal.aborted && error === LEASE_LOST) return this.stale(log);
    const policy = policyFor(policyOfEnv(this.env), this.accounts.findById(turn.accountId)?.overrides ?? {});
    logEvent(log, 'turn-failed', { error });
    try {
      const failed = await failTurn(this.db, { ...turn, error, draft: null }, policy);
      if (failed.kind === 'stale') return this.stale(log);
      if (failed.kind === 'review') for (const review of failed.reviews) logEvent(log, 'review-opened', { ...review });
      this.free();
      return failed.kind;
    } catch (failure) {
      // The lease runs out by itself, and the next claim counts this attempt.
      log.error({ err: failure }, 'a failed turn could not be written down');
      return 'failed';
    }
  }

  /** A late finisher changes nothing and says so. */
  private stale(log: Log): string {
    log.warn('this turn has lost its batch: it stops without a reply');
    return 'stale';
  }
}

function sumUsage(steps: JournalStep[]): ModelUsage | null {
  const usages = steps.flatMap((step) => (step.kind === 'answer' && step.usage ? [step.usage] : []));
  if (usages.length === 0) return null;
  return {
    inputTokens: usages.reduce((sum, usage) => sum + usage.inputTokens, 0),
    outputTokens: usages.reduce((sum, usage) => sum + usage.outputTokens, 0),
  };
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 1000);
}
