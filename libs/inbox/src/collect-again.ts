/** Gives messages that a person had back to the assistant: they join the collecting batch of their thread, or open it. */
import {
  DEFAULT_LOCK_SCOPE,
  policyFor,
  withMessage,
  type BatchTimes,
  type Channel,
  type LockScope,
  type Policy,
  type PolicyOverrides,
} from '#domain';
import type { Tx } from './database.js';

export interface MessageToCollect {
  eventId: string;
  thread: string;
  /** Epoch ms. */
  arrivedAt: number;
}

export interface RetryMark {
  /** The batch that is tried again, if the messages had one. */
  replacesId: string | null;
  /** Due at this time, epoch ms: a person has decided, nothing is left to wait for. */
  dueAt: number;
}

/** Why a batch exists although its messages may be late: a person wants exactly these answered. */
export const RETRIED_BY_PERSON = 'retried-by-person';

/** How an account collects what it gets back. */
export interface Window extends Pick<Policy, 'windowMs' | 'maxWaitMs'> {
  lockScope: LockScope;
}

/**
 * The environment's window and cap, with what the account's row overrides. Strategies without a window do not wait:
 * what a person gives back has waited already.
 */
export async function windowOf(
  tx: Tx,
  accountId: string,
  base: Pick<Policy, 'windowMs' | 'maxWaitMs'>,
): Promise<Window> {
  const rows = await tx.$queryRaw<{ policy: PolicyOverrides; channel: Channel }[]>`
    SELECT policy, channel FROM account WHERE id = ${accountId}::bigint`;
  const policy = policyFor(base as Policy, rows[0]?.policy ?? {});
  const lockScope = policy.lockScope ?? DEFAULT_LOCK_SCOPE[rows[0]?.channel ?? 'whatsapp'];
  const waits = ['batch', 'interrupt'].includes(policy.strategy ?? 'batch');
  return waits ? { ...policy, lockScope } : { windowMs: 0, maxWaitMs: 0, lockScope };
}

/**
 * The caller holds the conversation. A batch that already collects keeps its times: its person is still writing.
 * @returns the ids of the batches that now have the messages.
 */
export async function collectAgain(
  tx: Tx,
  conversationId: string,
  messages: MessageToCollect[],
  window: Window,
  retry: RetryMark | null,
): Promise<string[]> {
  const batchIds: string[] = [];
  for (const thread of new Set(messages.map((message) => message.thread))) {
    const ofThread = messages.filter((message) => message.thread === thread);
    const batchId =
      (await joinCollecting(tx, conversationId, thread, retry)) ??
      (await openBatch(
        tx,
        { conversationId, thread, lock: window.lockScope === 'thread' ? thread : '' },
        timesOf(ofThread, window, retry),
        retry,
      ));
    await tx.$executeRaw`
      UPDATE event SET batch_id = ${batchId}::bigint, outcome = NULL, reason = NULL, outcome_at = NULL
      WHERE id = ANY(${ofThread.map((message) => message.eventId)}::bigint[])`;
    batchIds.push(batchId);
  }
  return batchIds;
}

function timesOf(
  messages: MessageToCollect[],
  window: Pick<Policy, 'windowMs' | 'maxWaitMs'>,
  retry: RetryMark | null,
): BatchTimes {
  const times = messages.reduce<BatchTimes | null>(
    (before, message) => withMessage(before, message.arrivedAt, window),
    null,
  ) as BatchTimes;
  return retry ? { ...times, dueAt: retry.dueAt } : times;
}

async function joinCollecting(
  tx: Tx,
  conversationId: string,
  thread: string,
  retry: RetryMark | null,
): Promise<string | undefined> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE batch SET reason = coalesce(${retry ? RETRIED_BY_PERSON : null}::text, reason),
      replaces_id = coalesce(replaces_id, ${retry?.replacesId ?? null}::bigint)
    WHERE conversation_id = ${conversationId}::bigint AND thread = ${thread} AND state = 'collecting'
    RETURNING id::text`;
  return rows[0]?.id;
}

async function openBatch(
  tx: Tx,
  { conversationId, thread, lock }: { conversationId: string; thread: string; lock: string },
  times: BatchTimes,
  retry: RetryMark | null,
): Promise<string> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    INSERT INTO batch (conversation_id, thread, lock, state, reason, first_at, last_at, due_at, replaces_id, created_at)
    VALUES (${conversationId}::bigint, ${thread}, ${lock}, 'collecting', ${retry ? RETRIED_BY_PERSON : null},
      from_epoch_ms(${times.firstAt}), from_epoch_ms(${times.lastAt}), from_epoch_ms(${times.dueAt}),
      ${retry?.replacesId ?? null}::bigint, oneturn_now())
    RETURNING id::text`;
  return (rows[0] as { id: string }).id;
}
