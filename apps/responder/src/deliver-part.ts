/** One part, once: the last look at the clock, the POST, and what came of it written down. */
import { Inject, Injectable } from '@nestjs/common';
import { driverFor } from '#channels';
import { policyFor, type Policy } from '#domain';
import { AccountDirectory, Database, policyOfEnv, settlePart, type ClaimedPart, type PartResult } from '#inbox';
import { Env, LOG, logEvent, Metrics, sleep } from '#process';
import type { Log } from '#process';
import { Wakeups } from '#queue';

/** Tries to write down an answer while the database is away; after them the lease ends in `unknown`. */
const SETTLE_TRIES = 5;
const SETTLE_PAUSE_MS = 200;

@Injectable()
export class DeliverPart {
  private readonly sends;

  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
    private readonly db: Database,
    private readonly accounts: AccountDirectory,
    private readonly wakeups: Wakeups,
    metrics: Metrics,
  ) {
    this.sends = metrics.counter('sends_total', 'sends by result', ['result']);
  }

  /** Never rejects. Resolves to how long until something may follow in the conversation, ms. */
  async run(part: ClaimedPart, sendBy: { passed(): boolean }): Promise<number> {
    const result = await this.send(part, sendBy);
    this.sends.inc({ result: result.kind });
    return this.settle(part, result);
  }

  private async send(part: ClaimedPart, sendBy: { passed(): boolean }): Promise<PartResult> {
    const account = this.accounts.findById(part.accountId);
    const driver = account && driverFor(account.channel);
    if (!account || !driver) {
      return { kind: 'channel-paused', error: { code: 'no-driver', message: 'no driver speaks for this account' } };
    }
    // The process may have been frozen since the claim: then others may have taken the part, and nothing may leave.
    if (sendBy.passed()) return { kind: 'not-sent' };
    try {
      return await driver.send(
        account,
        { to: part.to, threadId: part.threadId, text: part.text, tracker: part.tracker },
        this.env.SEND_TIMEOUT_MS,
      );
    } catch (error) {
      // A driver answers and does not throw; if it does, nobody knows whether the bytes had left.
      this.log.error({ err: error, partId: part.id }, 'the channel driver failed');
      return {
        kind: 'unknown',
        error: { code: 'driver', message: error instanceof Error ? error.message : String(error) },
      };
    }
  }

  private async settle(part: ClaimedPart, result: PartResult): Promise<number> {
    for (let attempt = 1; attempt <= SETTLE_TRIES; attempt++) {
      try {
        return this.tell(part, result, await settlePart(this.db, part, result, this.policyOf(part)));
      } catch (error) {
        this.log.warn({ err: error, partId: part.id }, 'what became of a part could not be written down yet');
        await sleep(SETTLE_PAUSE_MS * 2 ** attempt);
      }
    }
    this.log.error(
      { partId: part.id, result: result.kind },
      'gave up writing down what became of a part: it ends as unknown',
    );
    return this.env.SWEEP_MS;
  }

  private tell(part: ClaimedPart, result: PartResult, settled: Awaited<ReturnType<typeof settlePart>>): number {
    const fields = {
      partId: part.id,
      batchId: part.batchId,
      conversationId: part.conversationId,
      attempt: part.attempt,
    };
    if (result.kind === 'accepted') logEvent(this.log, 'part-sent', { ...fields, state: settled.state });
    else if (settled.state === 'unknown') logEvent(this.log, 'part-unknown', fields);
    else
      this.log.warn(
        { ...fields, result: result.kind, error: 'error' in result ? result.error : null },
        'a part was not accepted',
      );
    for (const review of settled.reviews) logEvent(this.log, 'review-opened', { ...review });
    if (settled.unparked) this.wakeups.wake('events');
    // The conversation's next batch may have waited for this part.
    this.wakeups.wake('turns');
    if (settled.retryAt !== null) return Math.max(0, settled.retryAt - Date.now());
    return this.env.PART_GAP_MS;
  }

  private policyOf(part: ClaimedPart): Policy {
    return policyFor(policyOfEnv(this.env), this.accounts.findById(part.accountId)?.overrides ?? {});
  }
}
