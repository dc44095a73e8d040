/** Writes what came of one POST. Under the part's fence, except that an acceptance is evidence whenever it comes. */
import { pairLimitPauseMs, type PartState, type Policy, type SendResult } from '#domain';
import type { ClaimedPart } from './claim-parts.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { failReply } from './fail-reply.js';
import { lockConversations, readClock } from './lock-conversations.js';
import { openReviews, type OpenedReview } from './open-reviews.js';
import { resumeReplies } from './resume-replies.js';

export interface SettledPart {
  /** The part's state now; `stale` when this sender had lost it and its answer proves nothing. */
  state: PartState | 'stale';
  reviews: OpenedReview[];
  /** When it is tried again, epoch ms. */
  retryAt: number | null;
  /** Statuses that had come before the id were given back to the router. */
  unparked: boolean;
}

/** `not-sent`: the sender gave up before any byte left (its lease was nearly over). */
export type PartResult = SendResult | { kind: 'not-sent' };

interface Held {
  state: PartState;
  current: boolean;
  providerId: string | null;
}

export async function settlePart(
  db: Database,
  part: ClaimedPart,
  result: PartResult,
  policy: Policy,
): Promise<SettledPart> {
  return inTransaction(db, async (tx) => {
    await lockConversations(tx, [part.conversationId]);
    const now = await readClock(tx);
    const rows = await tx.$queryRaw<Held[]>`
      SELECT state, fence = ${part.fence}::bigint AS current, provider_id AS "providerId"
      FROM part WHERE id = ${part.id}::bigint FOR NO KEY UPDATE`;
    const held = rows[0];
    if (!held) return settled('stale');
    if (result.kind === 'accepted') return accept(tx, part, held, result.providerId, now);
    // Evidence may have been quicker than our own answer; then there is nothing left to decide.
    if (!held.current || held.state !== 'sending') return settled('stale');
    switch (result.kind) {
      case 'not-sent':
        return backToPending(tx, part, now, -1);
      case 'retry':
        return retry(tx, part, result, policy, now);
      case 'failed':
        return fail(tx, part, result.error, 'send-failed', now);
      case 'window-closed':
        return hold(tx, part, result.error, now);
      case 'channel-paused':
        return pauseAccount(tx, part, result.error, now);
      case 'unknown':
        await tx.$executeRaw`
          UPDATE part SET state = 'unknown', reason = NULL, unknown_at = from_epoch_ms(${now}), holder = NULL, lease_until = NULL,
            error_code = ${result.error.code}, error = ${result.error.message} WHERE id = ${part.id}::bigint`;
        return settled('unknown');
    }
  });
}

function settled(state: SettledPart['state'], more: Partial<SettledPart> = {}): SettledPart {
  return { state, reviews: [], retryAt: null, unparked: false, ...more };
}

async function accept(tx: Tx, part: ClaimedPart, held: Held, providerId: string, now: number): Promise<SettledPart> {
  // A copy that another attempt had accepted already: the customer has two.
  const second = held.providerId !== null && held.providerId !== providerId;
  const state: PartState = ['pending', 'sending', 'unknown', 'held'].includes(held.state) ? 'accepted' : held.state;
  await tx.$executeRaw`
    UPDATE part SET state = ${state}, reason = NULL, provider_id = coalesce(provider_id, ${providerId}), copies = greatest(copies, ${second ? 2 : 1}::int),
      accepted_at = coalesce(accepted_at, from_epoch_ms(${now})), holder = NULL, lease_until = NULL, unknown_at = NULL,
      error_code = CASE WHEN ${state} = 'failed' THEN error_code END, error = CASE WHEN ${state} = 'failed' THEN error END
    WHERE id = ${part.id}::bigint`;
  if (held.state === 'unknown') await resumeReplies(tx, [part], now);
  const unparked = await unparkStatuses(tx, part.accountId, providerId);
  const reviews = second
    ? await openReviews(
        tx,
        [caseOf(part, 'two-copies', 'The channel accepted this part twice: the customer has two copies.')],
        now,
      )
    : [];
  return settled(state, { unparked, reviews });
}

/** Statuses that named this id before we knew it go back to the router, which now finds the part. */
async function unparkStatuses(tx: Tx, accountId: string, providerId: string): Promise<boolean> {
  const count = await tx.$executeRaw`
    WITH parked AS (
      DELETE FROM parked_status WHERE account_key = (SELECT key FROM account WHERE id = ${accountId}::bigint)
        AND provider_id = ${providerId} RETURNING event_id
    )
    UPDATE event SET routed_at = NULL FROM parked WHERE event.id = parked.event_id AND outcome IS NULL`;
  return count > 0;
}

async function retry(
  tx: Tx,
  part: ClaimedPart,
  result: Extract<SendResult, { kind: 'retry' }>,
  policy: Policy,
  now: number,
): Promise<SettledPart> {
  const { error, scope } = result;
  if (scope !== 'account' && part.attempt >= policy.maxAttempts) return fail(tx, part, error, 'send-failed', now);
  const backoff =
    scope === 'person' ? pairLimitPauseMs(part.attempt) : policy.retryBaseMs * 2 ** Math.min(part.attempt - 1, 6);
  const retryAt = now + (result.afterMs ?? backoff);
  if (scope === 'account') {
    await tx.$executeRaw`
      UPDATE account SET backoff_until = greatest(backoff_until, from_epoch_ms(${retryAt})) WHERE id = ${part.accountId}::bigint`;
  }
  // The account's limit is no fault of this part: it keeps its attempts.
  return backToPending(tx, part, retryAt, scope === 'account' ? -1 : 0, error);
}

async function backToPending(
  tx: Tx,
  part: ClaimedPart,
  retryAt: number,
  attemptsBy: number,
  error: { code: string; message: string } | null = null,
): Promise<SettledPart> {
  await tx.$executeRaw`
    UPDATE part SET state = 'pending', next_attempt_at = from_epoch_ms(${retryAt}), attempts = attempts + ${attemptsBy}::int, holder = NULL,
      lease_until = NULL, error_code = ${error?.code ?? null}, error = ${error?.message ?? null} WHERE id = ${part.id}::bigint`;
  return settled('pending', { retryAt });
}

async function fail(
  tx: Tx,
  part: ClaimedPart,
  error: { code: string; message: string },
  reason: 'send-failed',
  now: number,
): Promise<SettledPart> {
  await tx.$executeRaw`
    UPDATE part SET state = 'failed', failed_at = from_epoch_ms(${now}), holder = NULL, lease_until = NULL,
      error_code = ${error.code}, error = ${error.message} WHERE id = ${part.id}::bigint`;
  return settled('failed', {
    reviews: await failReply(tx, [{ ...part, why: `${error.code} ${error.message}`, reason }], now),
  });
}

async function hold(
  tx: Tx,
  part: ClaimedPart,
  error: { code: string; message: string },
  now: number,
): Promise<SettledPart> {
  await tx.$executeRaw`
    UPDATE part SET state = 'held', reason = 'window-closed', holder = NULL, lease_until = NULL,
      error_code = ${error.code}, error = ${error.message} WHERE id = ${part.id}::bigint`;
  const why = `the channel says that its service window has closed (${error.code}): a template is needed`;
  return settled('held', { reviews: await failReply(tx, [{ ...part, why, reason: 'window-closed' }], now) });
}

async function pauseAccount(
  tx: Tx,
  part: ClaimedPart,
  error: { code: string; message: string },
  now: number,
): Promise<SettledPart> {
  const why = `${error.code} ${error.message}`;
  await tx.$executeRaw`
    UPDATE account SET paused_at = coalesce(paused_at, from_epoch_ms(${now})), paused_reason = ${why} WHERE id = ${part.accountId}::bigint`;
  const reviews = await openReviews(
    tx,
    [
      {
        subject: `account:${part.accountId}`,
        reason: 'channel-paused',
        detail: why,
        accountId: part.accountId,
        conversationId: null,
      },
    ],
    now,
  );
  return { ...(await backToPending(tx, part, now, -1, error)), reviews };
}

function caseOf(part: ClaimedPart, reason: 'two-copies', detail: string) {
  return {
    subject: `part:${part.id}`,
    reason,
    detail,
    accountId: part.accountId,
    conversationId: part.conversationId,
    batchId: part.batchId,
    partId: part.id,
  };
}
