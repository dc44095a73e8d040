/** Writes what messages of this group did to others: to those that waited, and to a turn under way. */
import type { Tx } from './database.js';
import { readClock } from './lock-conversations.js';
import type { BatchToBe, LeftBatch, PlaceContext } from './place-chat-event.js';
import type { TurnOfLock } from './read-overlap.js';
import type { TouchedBatch } from './write-placements.js';

export async function writeOverlaps(
  tx: Tx,
  { left, superseded, batches }: Pick<PlaceContext, 'left' | 'superseded' | 'batches'>,
  written: Map<string, TouchedBatch>,
  now: number,
): Promise<void> {
  if (left.length > 0) await letGo(tx, left, now);
  if (superseded.length === 0) return;
  // Read again: the turn may have journaled while its batch was waited for, and it ends after that step.
  const ended = await readClock(tx);
  for (const turn of superseded) {
    const heir = [...batches].find(([, batch]) => batch.replaces === turn);
    const id = heir && written.get(heir[0])?.id;
    await endTurn(tx, turn, id === undefined ? 'newer-message' : 'interrupted', ended);
    if (id === undefined) await supersedeMessages(tx, turn, ended);
    else await takeBack(tx, turn, id, heir?.[1] as BatchToBe);
  }
}

async function letGo(tx: Tx, left: LeftBatch[], now: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE event SET outcome = row.outcome, reason = row.reason, outcome_at = from_epoch_ms(${now})
    FROM unnest(${left.map((one) => one.eventId)}::bigint[], ${left.map((one) => one.outcome)}::text[],
      ${left.map((one) => one.reason)}::text[]) AS row (id, outcome, reason)
    WHERE event.id = row.id AND event.outcome IS NULL`;
}

/** The fence rises: a holder can neither journal nor finish any more. The batch stays as the record of its attempt. */
async function endTurn(tx: Tx, turn: TurnOfLock, reason: string, now: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE batch SET state = 'superseded', reason = ${reason}, fence = fence + 1, holder = NULL, lease_until = NULL,
      next_attempt_at = NULL, finished_at = from_epoch_ms(${now})
    WHERE id = ${turn.batchId}::bigint AND state IN ('running', 'retry_wait')`;
  await tx.$executeRaw`
    UPDATE turn SET ended_at = from_epoch_ms(${now}), outcome = ${reason === 'interrupted' ? 'interrupted' : 'superseded'}
    WHERE batch_id = ${turn.batchId}::bigint AND ended_at IS NULL`;
}

async function supersedeMessages(tx: Tx, turn: TurnOfLock, now: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE event SET outcome = 'superseded', reason = 'newer-message', outcome_at = from_epoch_ms(${now})
    WHERE batch_id = ${turn.batchId}::bigint AND outcome = 'in_batch'`;
}

/** Its messages collect anew, in a batch that names the old one: the journal of that one answers to fewer of them. */
async function takeBack(tx: Tx, turn: TurnOfLock, batchId: string, heir: BatchToBe): Promise<void> {
  await tx.$executeRaw`
    UPDATE batch SET restarts = ${turn.restarts + 1}::int, replaces_id = ${turn.batchId}::bigint,
      first_at = least(first_at, from_epoch_ms(${heir.firstAt})) WHERE id = ${batchId}::bigint`;
  await tx.$executeRaw`
    UPDATE event SET batch_id = ${batchId}::bigint, outcome = NULL, reason = NULL, outcome_at = NULL
    WHERE batch_id = ${turn.batchId}::bigint AND outcome = 'in_batch'`;
}
