/** What a claim does to messages that waited: some have expired, the rest leave the queue together. */
import type { ClaimedTurn, DecidedClaim } from './claim-turns.js';
import type { Tx } from './database.js';
import type { OverlapNews } from './overlap-news.js';

/** Before the seal. A batch that cannot be claimed yet keeps them: they are looked at again when it can. */
export async function expireMessages(tx: Tx, decided: DecidedClaim[], now: number): Promise<OverlapNews[]> {
  const all = decided.filter(({ decision }) => decision.kind !== 'refuse');
  const news = all.flatMap(({ batch, expired, strategy }) =>
    expired.map((message): OverlapNews => ({
      ...{ event: 'message-expired', reason: 'expired', strategy, conversationId: batch.conversationId },
      ...{ eventId: message.eventId, messageId: message.externalId, batchId: batch.id },
    })),
  );
  if (news.length === 0) return news;
  await tx.$executeRaw`
    UPDATE event SET outcome = 'ignored', reason = 'expired', outcome_at = from_epoch_ms(${now})
    WHERE id = ANY(${news.map((one) => one.eventId)}::bigint[]) AND outcome IS NULL`;
  return news;
}

/** The first attempt of a batch that has collected: its latest message, and how many it takes along. */
export function dequeued(turn: ClaimedTurn, decided: DecidedClaim[]): OverlapNews[] {
  const { state } = (decided.find(({ batch }) => batch.id === turn.batchId) as DecidedClaim).batch;
  const message = turn.messages.at(-1);
  if (state !== 'collecting' || turn.strategy === 'batch' || message === undefined) return [];
  const { strategy, conversationId, batchId } = turn;
  return [
    {
      ...{ event: 'message-dequeued', reason: 'dequeued', strategy, conversationId, batchId },
      ...{ eventId: message.eventId, messageId: message.externalId },
      ...{ skippedCount: turn.messages.length - 1, totalSinceLastHandler: turn.messages.length },
    },
  ];
}
