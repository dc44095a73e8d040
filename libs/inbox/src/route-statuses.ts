/** The statuses among a group of events: they move parts, or wait for the part that they name. */
import type { PartState } from '#domain';
import type { Tx } from './database.js';
import { failReply } from './fail-reply.js';
import {
  findPartsOfStatuses,
  moveParts,
  twoCopiesReviews,
  writePartMoves,
  type PartMove,
  type StatusOfEvent,
} from './move-parts.js';
import { closeReviews, openReviews, type OpenedReview } from './open-reviews.js';
import { resumeReplies } from './resume-replies.js';
import type { UnroutedEvent } from './take-unrouted.js';
import type { Placed } from './write-placements.js';

/** The statuses that can move a part, in order of arrival. */
export function statusesOf(events: UnroutedEvent[]): StatusOfEvent[] {
  const statuses: StatusOfEvent[] = [];
  for (const row of events) {
    if (row.event.kind !== 'status' || row.event.status === null || row.accountId === null) continue;
    const { status, providerId, tracker, error } = row.event;
    statuses.push({
      eventId: row.id,
      accountId: row.accountId,
      accountKey: row.accountKey,
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
  const { fates, moves, conversations } = moveParts(statuses, parts);
  const moved = [...moves.values()];
  await writePartMoves(tx, moved, now);
  await parkStatuses(
    tx,
    statuses.filter((status) => fates.get(status.eventId) === 'parked'),
    now,
  );

  const proven = moved.filter(({ before, part }) => isProblem(before) && part.state !== 'failed');
  await resumeReplies(
    tx,
    proven.map(({ part }) => part),
    now,
  );
  const reviews = [
    ...(await openReviews(tx, twoCopiesReviews(moved), now)),
    ...(await failParts(
      tx,
      moved.filter(({ before, part }) => part.state === 'failed' && before !== 'failed'),
      now,
    )),
  ];
  const placed = events.flatMap((row): Placed[] => {
    if (row.event.kind !== 'status') return [];
    return [placeStatus(row, fates.get(row.id), conversations.get(row.id) ?? null)];
  });
  return { placed, reviews, partsMoved: moved.length > 0 };
}

const isProblem = (state: PartState): boolean => state === 'unknown' || state === 'failed';

async function failParts(tx: Tx, failed: PartMove[], now: number): Promise<OpenedReview[]> {
  // That it failed is an answer, too: nobody has to find out any more.
  const unknown = failed.filter(({ before }) => before === 'unknown').map(({ part }) => `part:${part.id}`);
  await closeReviews(tx, unknown, ['unknown-send'], 'evidence', now);
  const why = ({ part }: PartMove): string => `${part.errorCode ?? ''} ${part.error ?? ''}`.trim();
  return failReply(
    tx,
    failed.map((move) => ({ ...move.part, why: why(move), reason: 'send-failed' })),
    now,
  );
}

function placeStatus(row: UnroutedEvent, fate: string | undefined, conversationId: string | null): Placed {
  const bare = { row, accountId: row.accountId, conversationId, thread: null, slot: null, opens: false };
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
