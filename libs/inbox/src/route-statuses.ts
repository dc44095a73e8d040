/** The statuses among a group of events: they move parts, or wait for the part that they name. */
import type { ReviewReason } from '#domain';
import type { Tx } from './database.js';
import { failReply } from './fail-reply.js';
import { findPartsOfStatuses, moveParts, reviewsOfMoves, writePartMoves, type StatusOfEvent } from './move-parts.js';
import { closeReviews, openReviews, type OpenedReview } from './open-reviews.js';
import type { UnroutedEvent } from './take-unrouted.js';
import type { Placed } from './write-placements.js';

/** The statuses that can move a part, in order of arrival. */
export function statusesOf(events: UnroutedEvent[], keyOf: (accountId: string) => string | undefined): StatusOfEvent[] {
  const statuses: StatusOfEvent[] = [];
  for (const row of events) {
    if (row.event.kind !== 'status' || row.event.status === null || row.accountId === null) continue;
    const { status, providerId, tracker, error } = row.event;
    statuses.push({
      eventId: row.id,
      accountId: row.accountId,
      accountKey: keyOf(row.accountId) ?? '',
      status,
      providerId,
      tracker,
      error,
      at: row.providerAt ?? row.arrivedAt,
    });
  }
  return statuses;
}

export interface RoutedStatuses {
  placed: Placed[];
  reviews: OpenedReview[];
  partsMoved: boolean;
}

/** The caller holds the conversations of all parts that the statuses may mean. */
export async function routeStatuses(
  tx: Tx,
  statuses: StatusOfEvent[],
  events: UnroutedEvent[],
  now: number,
): Promise<RoutedStatuses> {
  // Read again: before the locks a sender may have been at work on them.
  const parts = await findPartsOfStatuses(tx, statuses);
  const { fates, moves } = moveParts(statuses, parts);
  const moved = [...moves.values()];
  await writePartMoves(tx, moved, now);
  await parkStatuses(
    tx,
    statuses.filter((status) => fates.get(status.eventId) === 'parked'),
    now,
  );

  const cases = reviewsOfMoves(moved);
  const reasons: ReviewReason[] = ['unknown-send'];
  await closeReviews(tx, cases.settled, reasons, 'evidence', now);
  await closeReviews(
    tx,
    cases.revived.map((part) => (part.batchId === null ? `part:${part.id}` : `batch:${part.batchId}`)),
    ['send-failed'],
    'delivered after all',
    now,
  );
  const failed = moved.filter((move) => move.part.state === 'failed' && move.before !== 'failed');
  const reviews = [
    ...(await openReviews(tx, cases.open, now)),
    ...(await failReply(
      tx,
      failed.map(({ part }) => ({
        ...part,
        why: `${part.errorCode ?? ''} ${part.error ?? ''}`.trim(),
        reason: 'send-failed',
      })),
      now,
    )),
  ];
  const placed = events.flatMap((row): Placed[] => {
    if (row.event.kind !== 'status') return [];
    return [placeStatus(row, fates.get(row.id))];
  });
  return { placed, reviews, partsMoved: moved.length > 0 };
}

function placeStatus(row: UnroutedEvent, fate: string | undefined): Placed {
  const bare = { row, accountId: row.accountId, conversationId: null, thread: null, slot: null, opens: false };
  if (fate === 'applied') return { ...bare, placement: { kind: 'applied' } };
  if (fate === 'parked') return { ...bare, placement: { kind: 'parked' } };
  const reason = fate === 'foreign' ? 'status-of-foreign-message' : 'status-not-used';
  return { ...bare, placement: { kind: 'ignored', reason } };
}

async function parkStatuses(tx: Tx, statuses: StatusOfEvent[], now: number): Promise<void> {
  if (statuses.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO parked_status (event_id, account_key, provider_id, parked_at)
    SELECT id, key, provider_id, from_epoch_ms(${now})
    FROM unnest(${statuses.map((s) => s.eventId)}::bigint[], ${statuses.map((s) => s.accountKey)}::text[],
      ${statuses.map((s) => s.providerId)}::text[]) AS row (id, key, provider_id)
    ON CONFLICT DO NOTHING`;
}
