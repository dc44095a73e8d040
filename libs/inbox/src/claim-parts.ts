/** Marks the next sendable parts `sending`: every check that must hold when the bytes leave is made here, under the lock. */
import { decideSend, MAIN_THREAD, trackerOf, type ReplyAddress, type SendDecision, type SendFacts } from '#domain';
import { inTransaction, type Database, type Tx } from './database.js';
import { failReply } from './fail-reply.js';
import { readClock, tryLockConversations } from './lock-conversations.js';
import type { OpenedReview } from './open-reviews.js';
import { unsettledPart } from './unsettled.js';

export interface ClaimPartsOptions {
  holder: string;
  /** How long a send may take in all before its fate counts as unknown, ms. */
  leaseMs: number;
  /** Least time between two parts of a conversation that no `sent` status has shortened, ms. */
  gapMs: number;
  /** The channel's service window of an account, ms; null: none. */
  serviceWindowMs: (accountId: string) => number | null;
}

export interface ClaimedPart {
  id: string;
  conversationId: string;
  accountId: string;
  batchId: string | null;
  index: number;
  text: string;
  to: ReplyAddress;
  threadId: string | null;
  tracker: string;
  attempt: number;
  fence: string;
}

export interface ClaimedParts {
  parts: ClaimedPart[];
  /** Parts were held for a person; what waited behind them may go on. */
  held: number;
  reviews: OpenedReview[];
}

type HoldReason = Extract<SendDecision, { kind: 'hold' }>['why'];

interface PartRow extends Omit<SendFacts, 'serviceWindowMs'> {
  id: string;
  conversationId: string;
  accountId: string;
  batchId: string | null;
  index: number;
  text: string;
  attempts: number;
  fence: string;
  phone: string | null;
  userId: string | null;
  groupId: string | null;
  thread: string;
}

export interface ReadyPart {
  id: string;
  conversationId: string;
  accountId: string;
}

/** Marks those of the `ready` parts (see readyParts) `sending` that stand the second look, under their conversations' locks. */
export async function claimParts(db: Database, ready: ReadyPart[], options: ClaimPartsOptions): Promise<ClaimedParts> {
  if (ready.length === 0) return { parts: [], held: 0, reviews: [] };
  return inTransaction(db, async (tx) => {
    const locked = await tryLockConversations(
      tx,
      ready.map((part) => part.conversationId),
    );
    const now = await readClock(tx);
    const rows = await readPartFacts(
      tx,
      ready.map((part) => part.id),
      locked,
    );
    const sending: PartRow[] = [];
    const held: { row: PartRow; why: HoldReason }[] = [];
    for (const row of rows) {
      const decision = decideSend({ ...row, serviceWindowMs: options.serviceWindowMs(row.accountId) }, now);
      if (decision.kind === 'send') sending.push(row);
      if (decision.kind === 'hold') held.push({ row, why: decision.why });
    }
    const reviews = await holdParts(tx, held, now);
    await markSending(tx, sending, options, now);
    return { parts: sending.map(claimed), held: held.length, reviews };
  });
}

/** First open part of each conversation whose time has come, longest waiting first. */
export async function readyParts(db: Database, limit: number): Promise<ReadyPart[]> {
  return db.prisma.$queryRaw`
    WITH clock AS MATERIALIZED (SELECT oneturn_now() AS now)
    SELECT p.id::text, p.conversation_id::text AS "conversationId", c.account_id::text AS "accountId"
    FROM part p JOIN conversation c ON c.id = p.conversation_id JOIN account a ON a.id = c.account_id
    WHERE p.state = 'pending' AND p.next_attempt_at <= (SELECT now FROM clock)
      AND (c.next_send_at IS NULL OR c.next_send_at <= (SELECT now FROM clock))
      AND a.paused_at IS NULL AND (a.backoff_until IS NULL OR a.backoff_until <= (SELECT now FROM clock))
      AND NOT EXISTS (SELECT FROM part e WHERE e.conversation_id = p.conversation_id AND ${unsettledPart('e')}
        AND (e.reply, e.index) < (p.reply, p.index))
    ORDER BY p.next_attempt_at LIMIT ${limit}::int`;
}

async function readPartFacts(tx: Tx, partIds: string[], conversationIds: string[]): Promise<PartRow[]> {
  return tx.$queryRaw<PartRow[]>`
    SELECT p.id::text, p.conversation_id::text AS "conversationId", c.account_id::text AS "accountId", p.batch_id::text AS "batchId",
      p.index, p.text, p.attempts, p.fence::text, c.phone, c.user_id AS "userId", c.group_id AS "groupId", p.author, p.thread,
      c.taken_over_at IS NOT NULL AS "takenOver", epoch_ms(c.last_inbound_at) AS "lastInboundAt", a.paused_at IS NOT NULL AS "accountPaused",
      epoch_ms(greatest(p.next_attempt_at, c.next_send_at, a.backoff_until)) AS "notBefore",
      EXISTS (SELECT FROM part e WHERE e.conversation_id = p.conversation_id AND ${unsettledPart('e')}
        AND (e.reply, e.index) < (p.reply, p.index)) AS "earlierUnsettled"
    FROM part p JOIN conversation c ON c.id = p.conversation_id JOIN account a ON a.id = c.account_id
    WHERE p.id = ANY(${partIds}::bigint[]) AND p.conversation_id = ANY(${conversationIds}::bigint[]) AND p.state = 'pending'
    ORDER BY p.conversation_id, p.reply, p.index`;
}

async function holdParts(tx: Tx, held: { row: PartRow; why: HoldReason }[], now: number): Promise<OpenedReview[]> {
  if (held.length === 0) return [];
  await tx.$executeRaw`
    UPDATE part SET state = 'held', reason = row.why
    FROM unnest(${held.map(({ row }) => row.id)}::bigint[], ${held.map(({ why }) => why)}::text[]) AS row (id, why)
    WHERE part.id = row.id`;
  return failReply(
    tx,
    held.map(({ row, why }) => ({ ...row, reason: why, why: HELD_BECAUSE[why] })),
    now,
  );
}

const HELD_BECAUSE: Record<HoldReason, string> = {
  'window-closed':
    "the channel's service window has closed: only a template, or a new message of the customer, opens it again",
  'taken-over': 'a person has taken the conversation over',
};

async function markSending(tx: Tx, rows: PartRow[], options: ClaimPartsOptions, now: number): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    UPDATE part SET state = 'sending', reason = NULL, attempts = attempts + 1, fence = fence + 1, holder = ${options.holder},
      lease_until = from_epoch_ms(${now + options.leaseMs}), sending_at = from_epoch_ms(${now}), tracker = row.tracker
    FROM unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => trackerOf(row.id, row.attempts + 1))}::text[]) AS row (id, tracker)
    WHERE part.id = row.id`;
  await tx.$executeRaw`
    UPDATE conversation SET next_send_at = from_epoch_ms(${now + options.gapMs})
    WHERE id = ANY(${rows.map((row) => row.conversationId)}::bigint[])`;
}

function claimed(row: PartRow): ClaimedPart {
  return {
    id: row.id,
    conversationId: row.conversationId,
    accountId: row.accountId,
    batchId: row.batchId,
    index: row.index,
    text: row.text,
    to:
      row.groupId === null
        ? { kind: 'person', phone: row.phone, userId: row.userId }
        : { kind: 'group', id: row.groupId },
    threadId: row.thread === MAIN_THREAD ? null : row.thread,
    tracker: trackerOf(row.id, row.attempts + 1),
    attempt: row.attempts + 1,
    fence: (BigInt(row.fence) + 1n).toString(),
  };
}
