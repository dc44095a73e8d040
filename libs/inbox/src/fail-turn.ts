/** A turn that failed: another attempt after a pause, or a person. Under the fence. */
import { decideFailure, type Policy } from '#domain';
import { inTransaction, type Database, type Tx } from './database.js';
import { lockConversations, readClock } from './lock-conversations.js';
import { openReviews, type OpenedReview } from './open-reviews.js';

export interface FailingTurn {
  batchId: string;
  conversationId: string;
  fence: string;
  attempt: number;
  error: string;
  /** What the model had worded when it failed, if anything. */
  draft: string | null;
}

export type Failed =
  | { kind: 'retry'; at: number }
  | { kind: 'review'; reviews: OpenedReview[] }
  /** The batch is no longer ours: nothing changed. */
  | { kind: 'stale' };

export async function failTurn(db: Database, turn: FailingTurn, policy: Policy): Promise<Failed> {
  return inTransaction(db, async (tx) => {
    const conversation = (await lockConversations(tx, [turn.conversationId])).get(turn.conversationId);
    const now = await readClock(tx);
    const held = await tx.$queryRaw<{ id: string }[]>`
      SELECT id::text FROM batch WHERE id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint AND state = 'running' FOR NO KEY UPDATE`;
    if (held.length === 0 || !conversation) return { kind: 'stale' };
    await endTurn(tx, turn, now);
    const decision = decideFailure(turn.attempt, policy, now);
    if (decision.kind === 'retry') {
      await tx.$executeRaw`
        UPDATE batch SET state = 'retry_wait', next_attempt_at = from_epoch_ms(${decision.at}), holder = NULL, lease_until = NULL,
          last_error = ${turn.error} WHERE id = ${turn.batchId}::bigint`;
      return decision;
    }
    await tx.$executeRaw`
      UPDATE batch SET state = 'review', reason = 'turn-failed', holder = NULL, lease_until = NULL, last_error = ${turn.error},
        finished_at = from_epoch_ms(${now}) WHERE id = ${turn.batchId}::bigint`;
    const review = {
      subject: `batch:${turn.batchId}`,
      reason: 'turn-failed' as const,
      detail: `${turn.attempt} attempts failed. The last: ${turn.error}`,
      draft: turn.draft,
      accountId: conversation.accountId,
      conversationId: turn.conversationId,
      batchId: turn.batchId,
    };
    return { kind: 'review', reviews: await openReviews(tx, [review], now) };
  });
}

async function endTurn(tx: Tx, turn: FailingTurn, now: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE turn SET ended_at = from_epoch_ms(${now}), outcome = 'failed', error = ${turn.error}, draft = ${turn.draft}
    WHERE batch_id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint`;
}
