/** Writes the decisions of one claim, grouped: a handful of statements however many batches there are. */
import { ageInWords, byTimeSaid, saidAt, type FinalBatchState } from '#domain';
import type { BatchFacts, BatchMessage, Claimed, ClaimedTurn, ClaimOptions, DecidedClaim } from './claim-turns.js';
import type { Tx } from './database.js';
import { dequeued, expireMessages } from './expire-messages.js';
import { openReviews, type NewReview } from './open-reviews.js';

export async function writeClaims(
  tx: Tx,
  decided: DecidedClaim[],
  options: ClaimOptions,
  now: number,
): Promise<Claimed> {
  const turns: ClaimedTurn[] = [];
  const reviews: NewReview[] = [];
  const ended: { batch: BatchFacts; state: FinalBatchState; reason: string }[] = [];
  const lateEvents: string[] = [];
  for (const { batch, decision, expired, strategy } of decided) {
    switch (decision.kind) {
      case 'refuse':
        break;
      case 'empty':
        ended.push({ batch, state: 'superseded', reason: expired.length > 0 ? 'expired' : 'nothing-left' });
        break;
      case 'late':
        ended.push({ batch, state: 'review', reason: 'late' });
        lateEvents.push(...batch.messages.map((message) => message.eventId));
        reviews.push(
          reviewOf(batch, 'late', `All were too old when their turn came, the first ${ageOf(batch.messages, now)}.`),
        );
        break;
      case 'over-limit':
        ended.push({ batch, state: 'review', reason: 'turn-limit' });
        reviews.push(
          reviewOf(batch, 'turn-limit', `${batch.turnsToday} turns today are the limit of MAX_TURNS_PER_DAY.`),
        );
        break;
      case 'exhausted':
        ended.push({ batch, state: 'review', reason: 'turn-failed' });
        reviews.push(
          reviewOf(
            batch,
            'turn-failed',
            `No attempt out of ${batch.attempts} came to an end: the process died or hung each time.`,
          ),
        );
        break;
      case 'claim': {
        const late = new Set(decision.late);
        for (const message of batch.messages) {
          if (!late.has(message.position)) continue;
          lateEvents.push(message.eventId);
          reviews.push({
            ...reviewOf(batch, 'late', `${ageOf([message], now)}: ${message.event.speech.text.slice(0, 500)}`),
            subject: `event:${message.eventId}`,
            eventId: message.eventId,
            batchId: null,
          });
        }
        turns.push({
          batchId: batch.id,
          conversationId: batch.conversationId,
          accountId: batch.accountId,
          thread: batch.thread,
          strategy,
          slot: batch.slot,
          fence: (BigInt(batch.fence) + 1n).toString(),
          attempt: batch.attempts + 1,
          dueAt: batch.dueAt,
          claimedAt: now,
          messages: batch.messages.filter((message) => !late.has(message.position)).sort(byTimeSaid),
        });
      }
    }
  }
  await endLapsedTurns(
    tx,
    decided.filter(({ batch }) => batch.state === 'running'),
    now,
  );
  const overlaps = await expireMessages(tx, decided, now);
  await sealEvents(tx, [...turns.map((turn) => turn.batchId), ...ended.map(({ batch }) => batch.id)], lateEvents, now);
  await startTurns(tx, turns, options, now);
  await countTurns(tx, turns, now);
  await endBatches(tx, ended, now);
  overlaps.push(...turns.flatMap((turn) => dequeued(turn, decided)));
  return { turns, ended: ended.length, reviews: await openReviews(tx, reviews, now), overlaps };
}

/** When the first of them was said, for the person who gets the case. */
function ageOf(messages: BatchMessage[], now: number): string {
  return `said ${ageInWords(now - Math.min(...messages.map(saidAt)))} ago`;
}

function reviewOf(batch: BatchFacts, reason: 'late' | 'turn-failed' | 'turn-limit', detail: string): NewReview {
  return {
    subject: `batch:${batch.id}`,
    reason,
    detail,
    accountId: batch.accountId,
    conversationId: batch.conversationId,
    batchId: batch.id,
  };
}

async function endLapsedTurns(tx: Tx, decided: DecidedClaim[], now: number): Promise<void> {
  const gone = decided.filter(({ decision }) => decision.kind !== 'refuse').map(({ batch }) => batch.id);
  if (gone.length === 0) return;
  await tx.$executeRaw`
    UPDATE turn SET ended_at = from_epoch_ms(${now}), outcome = 'lapsed', error = coalesce(error, 'the lease ran out')
    WHERE batch_id = ANY(${gone}::bigint[]) AND ended_at IS NULL`;
}

/** The seal: from here on the batch takes no more messages, and those it has are accounted for. */
async function sealEvents(tx: Tx, batchIds: string[], lateEvents: string[], now: number): Promise<void> {
  if (lateEvents.length > 0) {
    await tx.$executeRaw`
      UPDATE event SET outcome = 'review', reason = 'late', outcome_at = from_epoch_ms(${now}) WHERE id = ANY(${lateEvents}::bigint[])`;
  }
  if (batchIds.length === 0) return;
  await tx.$executeRaw`
    UPDATE event SET outcome = 'in_batch', outcome_at = from_epoch_ms(${now})
    WHERE batch_id = ANY(${batchIds}::bigint[]) AND outcome IS NULL`;
}

async function startTurns(tx: Tx, turns: ClaimedTurn[], options: ClaimOptions, now: number): Promise<void> {
  if (turns.length === 0) return;
  const ids = turns.map((turn) => turn.batchId);
  const fences = turns.map((turn) => turn.fence);
  await tx.$executeRaw`
    UPDATE batch SET state = 'running', fence = row.fence, attempts = batch.attempts + 1, holder = ${options.holder},
      lease_until = from_epoch_ms(${now + options.leaseMs}), sealed_at = coalesce(sealed_at, from_epoch_ms(${now})), next_attempt_at = NULL,
      slot = row.slot
    FROM unnest(${ids}::bigint[], ${fences}::bigint[], ${turns.map((turn) => turn.slot)}::int[]) AS row (id, fence, slot)
    WHERE batch.id = row.id`;
  await tx.$executeRaw`
    INSERT INTO turn (batch_id, attempt, fence, holder, started_at)
    SELECT id, attempt, fence, ${options.holder}, from_epoch_ms(${now})
    FROM unnest(${ids}::bigint[], ${turns.map((turn) => turn.attempt)}::int[], ${fences}::bigint[]) AS row (id, attempt, fence)`;
}

/** An attempt more is not a turn more. */
async function countTurns(tx: Tx, turns: ClaimedTurn[], now: number): Promise<void> {
  const first = turns.filter((turn) => turn.attempt === 1).map((turn) => turn.conversationId);
  if (first.length === 0) return;
  await tx.$executeRaw`
    WITH today AS (SELECT (from_epoch_ms(${now}) AT TIME ZONE 'UTC')::date AS day)
    UPDATE conversation SET turn_day = today.day, turns_today = CASE WHEN turn_day = today.day THEN turns_today ELSE 0 END + row.turns
    FROM today, (SELECT id, count(*)::int AS turns FROM unnest(${first}::bigint[]) AS one (id) GROUP BY id) AS row
    WHERE conversation.id = row.id`;
}

async function endBatches(
  tx: Tx,
  ended: { batch: BatchFacts; state: FinalBatchState; reason: string }[],
  now: number,
): Promise<void> {
  if (ended.length === 0) return;
  await tx.$executeRaw`
    UPDATE batch SET state = row.state, reason = row.reason, fence = batch.fence + 1, holder = NULL, lease_until = NULL,
      next_attempt_at = NULL, sealed_at = coalesce(sealed_at, from_epoch_ms(${now})), finished_at = from_epoch_ms(${now})
    FROM unnest(${ended.map(({ batch }) => batch.id)}::bigint[], ${ended.map(({ state }) => state)}::text[],
      ${ended.map(({ reason }) => reason)}::text[]) AS row (id, state, reason) WHERE batch.id = row.id`;
}
