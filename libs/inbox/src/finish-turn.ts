/** The end of a turn: parts into the outbox, batch closed, lease freed, in one transaction under the fence. */
import type { AssistantAnswer, FinalBatchState, ModelUsage } from '#domain';
import { inTransaction, type Database, type Tx } from './database.js';
import { lockConversations, readClock } from './lock-conversations.js';
import { openReviews, type OpenedReview } from './open-reviews.js';

export interface FinishingTurn {
  batchId: string;
  conversationId: string;
  fence: string;
  /** The assistant's own name, for the timeline. */
  assistant: string;
  usage: ModelUsage | null;
}

/** `stale`: somebody else has the batch, or a person; nothing was sent, the answer is kept as the turn's draft. */
export type Finished =
  { kind: 'finished'; state: FinalBatchState; parts: number; reviews: OpenedReview[] } | { kind: 'stale' };

/**
 * Safe to repeat: a finish whose commit answer was lost finds its own turn ended and reports it as finished, without a
 * second reply.
 */
export async function finishTurn(db: Database, turn: FinishingTurn, answer: AssistantAnswer): Promise<Finished> {
  return inTransaction(db, async (tx) => {
    const locked = await lockConversations(tx, [turn.conversationId]);
    const conversation = locked.get(turn.conversationId);
    const now = await readClock(tx);
    const state = await heldState(tx, turn);
    if (state !== 'running' || !conversation) return alreadyFinished(tx, turn, answer, now);
    const final = finalState(answer);
    if (answer.kind === 'reply') await insertParts(tx, turn, answer.parts, now);
    await closeBatch(tx, turn, final, answer, now);
    const reviews =
      answer.kind === 'review'
        ? await openReviews(
            tx,
            [
              {
                subject: `batch:${turn.batchId}`,
                reason: 'assistant-asked',
                detail: answer.why,
                accountId: conversation.accountId,
                conversationId: turn.conversationId,
                batchId: turn.batchId,
              },
            ],
            now,
          )
        : [];
    return { kind: 'finished', state: final, parts: answer.kind === 'reply' ? answer.parts.length : 0, reviews };
  });
}

function finalState(answer: AssistantAnswer): FinalBatchState {
  if (answer.kind === 'review') return 'review';
  return answer.kind === 'reply' && answer.parts.length > 0 ? 'replied' : 'silent';
}

/** The batch's state when the fence is still ours. */
async function heldState(tx: Tx, turn: FinishingTurn): Promise<string | null> {
  const rows = await tx.$queryRaw<{ state: string }[]>`
    SELECT state FROM batch WHERE id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint FOR NO KEY UPDATE`;
  return rows[0]?.state ?? null;
}

async function insertParts(tx: Tx, turn: FinishingTurn, parts: string[], now: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO part (conversation_id, thread, batch_id, reply, index, author, text, state, next_attempt_at, created_at)
    SELECT b.conversation_id, b.thread, b.id, reply.number, row.index - 1, 'assistant', row.text, 'pending', from_epoch_ms(${now}), from_epoch_ms(${now})
    FROM batch b, (SELECT nextval('reply_order') AS number) reply, unnest(${parts}::text[]) WITH ORDINALITY AS row (text, index)
    WHERE b.id = ${turn.batchId}::bigint`;
}

async function closeBatch(
  tx: Tx,
  turn: FinishingTurn,
  state: FinalBatchState,
  answer: AssistantAnswer,
  now: number,
): Promise<void> {
  const reason = answer.kind === 'review' ? 'assistant-asked' : null;
  await tx.$executeRaw`
    UPDATE batch SET state = ${state}, reason = ${reason}, holder = NULL, lease_until = NULL, finished_at = from_epoch_ms(${now})
    WHERE id = ${turn.batchId}::bigint`;
  await tx.$executeRaw`
    UPDATE turn SET ended_at = from_epoch_ms(${now}), outcome = ${state}, assistant = ${turn.assistant},
      input_tokens = ${turn.usage?.inputTokens ?? null}::int, output_tokens = ${turn.usage?.outputTokens ?? null}::int
    WHERE batch_id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint`;
}

async function alreadyFinished(tx: Tx, turn: FinishingTurn, answer: AssistantAnswer, now: number): Promise<Finished> {
  const rows = await tx.$queryRaw<{ outcome: string | null; parts: number }[]>`
    SELECT outcome, (SELECT count(*)::int FROM part WHERE batch_id = t.batch_id) AS parts
    FROM turn t WHERE batch_id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint`;
  const outcome = rows[0]?.outcome;
  if (outcome === 'replied' || outcome === 'silent' || outcome === 'review') {
    return { kind: 'finished', state: outcome, parts: rows[0]?.parts ?? 0, reviews: [] };
  }
  const draft = answer.kind === 'reply' ? answer.parts.join('\n\n') : null;
  await tx.$executeRaw`
    UPDATE turn SET draft = ${draft}, assistant = ${turn.assistant}, outcome = coalesce(outcome, 'stale'),
      ended_at = coalesce(ended_at, from_epoch_ms(${now})),
      input_tokens = ${turn.usage?.inputTokens ?? null}::int, output_tokens = ${turn.usage?.outputTokens ?? null}::int
    WHERE batch_id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint`;
  return { kind: 'stale' };
}
