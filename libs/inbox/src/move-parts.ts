/** Statuses move parts: up their ranks only, in whatever order they come. */
import { readTracker, stateAfterStatus, type ChannelError, type PartState, type StatusName } from '#domain';
import type { Tx } from './database.js';
import type { NewReview } from './open-reviews.js';

export interface StatusOfEvent {
  eventId: string;
  accountId: string;
  accountKey: string;
  status: StatusName;
  providerId: string;
  tracker: string | null;
  error: ChannelError | null;
  /** When the channel says it happened, epoch ms. */
  at: number;
}

export interface PartFacts {
  id: string;
  conversationId: string;
  accountId: string;
  batchId: string | null;
  index: number;
  state: PartState;
  reason: string | null;
  providerId: string | null;
  copies: number;
  attempts: number;
  errorCode: string | null;
  error: string | null;
}

export interface PartMove {
  part: PartFacts;
  before: PartState;
  copiesBefore: number;
  /** Times of the statuses seen, epoch ms. */
  at: Partial<Record<StatusName, number>>;
}

export type StatusFate = 'applied' | 'parked' | 'foreign';

/** Parts that the statuses may mean, unlocked: tells which conversations to lock. */
export async function findPartsOfStatuses(tx: Tx, statuses: StatusOfEvent[]): Promise<PartFacts[]> {
  if (statuses.length === 0) return [];
  const ids = statuses.map((status) => readTracker(status.tracker)?.partId).filter((id) => id !== undefined);
  return tx.$queryRaw<PartFacts[]>`
    SELECT p.id::text, p.conversation_id::text AS "conversationId", c.account_id::text AS "accountId",
      p.batch_id::text AS "batchId", p.index, p.state, p.reason, p.provider_id AS "providerId", p.copies, p.attempts,
      p.error_code AS "errorCode", p.error
    FROM part p JOIN conversation c ON c.id = p.conversation_id
    WHERE p.id IN (SELECT id FROM part WHERE id = ANY(${ids}::bigint[])
      UNION SELECT id FROM part WHERE provider_id = ANY(${statuses.map((status) => status.providerId)}::text[]))`;
}

/** Pure: what becomes of each status and each part. `parts` are read under their conversations' locks and changed in place. */
export function moveParts(
  statuses: StatusOfEvent[],
  parts: PartFacts[],
): { fates: Map<string, StatusFate>; moves: Map<string, PartMove>; conversations: Map<string, string> } {
  const byId = new Map(parts.map((part) => [part.id, part]));
  const byProviderId = new Map(parts.map((part) => [`${part.accountId}\n${part.providerId}`, part]));
  const fates = new Map<string, StatusFate>();
  const moves = new Map<string, PartMove>();
  const conversations = new Map<string, string>();
  for (const status of statuses) {
    const named = readTracker(status.tracker);
    const tracked = named ? byId.get(named.partId) : undefined;
    const part =
      tracked?.accountId === status.accountId ? tracked : byProviderId.get(`${status.accountId}\n${status.providerId}`);
    if (!part) {
      // Without a tracker it may be ours all the same: the answer that brings its id can still be on the way.
      fates.set(status.eventId, named ? 'foreign' : 'parked');
      continue;
    }
    fates.set(status.eventId, 'applied');
    conversations.set(status.eventId, part.conversationId);
    // The copy of an earlier attempt failed: that says nothing of the one that was sent since.
    if (status.status === 'failed' && named && named.attempt < part.attempts) continue;
    const move = moves.get(part.id) ?? { part, before: part.state, copiesBefore: part.copies, at: {} };
    moves.set(part.id, move);
    applyStatus(move, status);
    byProviderId.set(`${part.accountId}\n${part.providerId}`, part);
  }
  return { fates, moves, conversations };
}

function applyStatus(move: PartMove, status: StatusOfEvent): void {
  const { part } = move;
  const otherCopy = part.providerId !== null && part.providerId !== status.providerId;
  if (otherCopy) {
    // A failed copy beside a living one changes nothing for the customer.
    if (status.status === 'failed') return;
    part.copies = Math.max(part.copies, 2);
  } else {
    part.providerId = status.providerId;
    part.copies = Math.max(part.copies, 1);
  }
  move.at[status.status] ??= status.at;
  const next = stateAfterStatus(part.state, status.status);
  if (next === part.state) return;
  part.state = next;
  part.reason = null;
  if (next === 'failed') {
    part.errorCode = status.error?.code ?? null;
    part.error = status.error?.message ?? 'the channel gave no reason';
  }
}

/** Writes the moved parts. The caller holds their conversations. */
export async function writePartMoves(tx: Tx, moves: PartMove[], now: number): Promise<void> {
  if (moves.length === 0) return;
  const at = (name: StatusName): (number | null)[] => moves.map((move) => move.at[name] ?? null);
  await tx.$executeRaw`
    UPDATE part SET state = row.state, reason = row.reason, provider_id = row.provider_id, copies = row.copies,
      error_code = row.error_code, error = row.error, holder = CASE WHEN row.state = 'sending' THEN holder END,
      lease_until = CASE WHEN row.state = 'sending' THEN lease_until END, unknown_at = NULL,
      accepted_at = coalesce(accepted_at, from_epoch_ms(${now})),
      sent_at = coalesce(sent_at, from_epoch_ms(row.sent)), delivered_at = coalesce(delivered_at, from_epoch_ms(row.delivered)),
      read_at = coalesce(read_at, from_epoch_ms(row.read)), failed_at = coalesce(failed_at, from_epoch_ms(row.failed))
    FROM unnest(${moves.map((m) => m.part.id)}::bigint[], ${moves.map((m) => m.part.state)}::text[],
      ${moves.map((m) => m.part.reason)}::text[], ${moves.map((m) => m.part.providerId)}::text[],
      ${moves.map((m) => m.part.copies)}::int[], ${moves.map((m) => m.part.errorCode)}::text[],
      ${moves.map((m) => m.part.error)}::text[], ${at('sent')}::float8[], ${at('delivered')}::float8[],
      ${at('read')}::float8[], ${at('failed')}::float8[])
      AS row (id, state, reason, provider_id, copies, error_code, error, sent, delivered, read, failed)
    WHERE part.id = row.id`;
  // `sent` is the proof of order that the spacing stands in for.
  const sent = moves.filter((move) => move.at.sent !== undefined).map((move) => move.part.conversationId);
  if (sent.length > 0) {
    await tx.$executeRaw`UPDATE conversation SET next_send_at = NULL WHERE id = ANY(${sent}::bigint[]) AND next_send_at IS NOT NULL`;
  }
}

export function twoCopiesReviews(moves: PartMove[]): NewReview[] {
  // Once: further statuses of a part that a person has looked at already are no news.
  const twoCopies = moves.filter((move) => move.part.copies > 1 && move.copiesBefore <= 1);
  return twoCopies.map(({ part }): NewReview => ({
    subject: `part:${part.id}`,
    reason: 'two-copies',
    detail: 'The channel accepted this part twice: the customer has two copies.',
    accountId: part.accountId,
    conversationId: part.conversationId,
    batchId: part.batchId,
    partId: part.id,
  }));
}
