/** Claims up to a number of due batches: seals them, gives each a lease and a higher fence. */
import {
  decideClaim,
  expiredOf,
  overlapOf,
  type ClaimDecision,
  type ClaimFacts,
  type ParsedEvent,
  type Policy,
  type Strategy,
} from '#domain';
import type { AccountDirectory } from './accounts.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { Prisma } from './generated/client.js';
import { inTheirTurn } from './in-their-turn.js';
import { readClock, tryLockConversations } from './lock-conversations.js';
import { OF_LOCK, SAME_LOCK } from './lock-sql.js';
import type { OpenedReview } from './open-reviews.js';
import type { OverlapNews } from './overlap-news.js';
import { policyOfChat, type PolicyChoices } from './policy-of.js';
import { POSITION } from './position-sql.js';
import type { ReadyBatch } from './ready-batches.js';
import { unsettledPart } from './unsettled.js';
import { writeClaims } from './write-claims.js';

export interface ClaimOptions {
  /** Random per boot of the process. */
  holder: string;
  leaseMs: number;
  policy: Policy;
  /** For those who embed oneturn. */
  choices?: Partial<PolicyChoices> | undefined;
  /** Turns that one conversation may begin per day (UTC). */
  maxTurnsPerDay: number;
}

export interface BatchMessage {
  eventId: string;
  externalId: string;
  providerAt: number | null;
  arrivedAt: number;
  position: number;
  event: Extract<ParsedEvent, { kind: 'message' }>;
}

/** A batch under the claim's locks. */
export interface BatchFacts {
  id: string;
  conversationId: string;
  rootId: string;
  accountId: string;
  groupId: string | null;
  person: string | null;
  thread: string;
  lock: string;
  /** How many turns its lock may have at once, which of the places is its own, and which are taken. */
  slots: number;
  slot: number;
  takenSlots: number[];
  state: ClaimFacts['state'];
  readyAt: number;
  dueAt: number;
  firstAt: number;
  attempts: number;
  fence: string;
  reason: string | null;
  takenOver: boolean;
  otherTurn: boolean;
  earlierUnsettled: boolean;
  turnsToday: number;
  messages: BatchMessage[];
}

export interface ClaimedTurn {
  batchId: string;
  conversationId: string;
  accountId: string;
  thread: string;
  strategy: Strategy;
  slot: number;
  /** As text: it is 64 bits wide. */
  fence: string;
  attempt: number;
  /** When the batch was due, and the claim's clock; epoch ms. */
  dueAt: number;
  claimedAt: number;
  /** What the turn answers, in the order in which it was said. */
  messages: BatchMessage[];
}

export interface Claimed {
  turns: ClaimedTurn[];
  /** Batches that were closed without a turn: there may be others behind them. */
  ended: number;
  reviews: OpenedReview[];
  /** What strategies other than `batch` did with the messages that waited. */
  overlaps: OverlapNews[];
}

/** Claims those of the `ready` batches (see readyBatches) that stand the second look, under their conversations' locks. */
export async function claimTurns(
  db: Database,
  accounts: AccountDirectory,
  ready: ReadyBatch[],
  options: ClaimOptions,
): Promise<Claimed> {
  if (ready.length === 0) return { turns: [], ended: 0, reviews: [], overlaps: [] };
  await accounts.refresh();
  return inTransaction(db, async (tx) => {
    const locked = await tryLockConversations(
      tx,
      ready.flatMap((batch) => [batch.conversationId, batch.rootId]),
    );
    if (locked.length === 0) return { turns: [], ended: 0, reviews: [], overlaps: [] };
    const ours = ready.filter((batch) => locked.includes(batch.conversationId)).map((batch) => batch.id);
    await lockBatches(tx, ours);
    const now = await readClock(tx);
    const facts = await readFacts(tx, ours, locked, now);
    const decided = inTheirTurn(facts).map((batch): DecidedClaim => {
      const policy = policyOfChat(accounts, options.policy, options.choices, batch);
      // What a person sent back to the assistant is answered however old it is, and beyond the day's limit.
      const asked = batch.reason === 'retried-by-person';
      const lateAfterMs = asked ? Infinity : policy.lateAfterMs;
      const turnsLeft = asked ? Infinity : options.maxTurnsPerDay - batch.turnsToday;
      const expired = asked || batch.state !== 'collecting' ? [] : expiredOf(batch.messages, overlapOf(policy), now);
      const messages = batch.messages.filter((message) => !expired.includes(message));
      const decision = decideClaim({ ...batch, messages, turnsLeft }, { ...policy, lateAfterMs }, now);
      return { batch: { ...batch, messages }, decision, expired, strategy: policy.strategy ?? 'batch' };
    });
    return writeClaims(tx, decided, options, now);
  });
}

/**
 * A holder whose lease ran out may be writing its journal at this moment: the claim's clock is read when it has ended,
 * so that no step of a lost turn is later than its loss.
 */
async function lockBatches(tx: Tx, ids: string[]): Promise<void> {
  await tx.$queryRaw`SELECT id FROM batch WHERE id = ANY(${ids}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
}

export interface DecidedClaim {
  /** With the messages that are left to answer. */
  batch: BatchFacts;
  decision: ClaimDecision;
  /** Have waited longer than their strategy allows. */
  expired: BatchMessage[];
  strategy: Strategy;
}

/**
 * Both of two merged conversations may have had a turn when they became one. Then they take turns: a batch that waits
 * behind the other's lets it end, and of two that are ready the older goes first.
 */
const OTHER_TURN = Prisma.sql`o.id <> b.id AND ${SAME_LOCK} AND CASE o.state
  WHEN 'running' THEN b.state IN ('collecting', 'queued') OR o.lease_until > clock.now OR o.id < b.id
  WHEN 'retry_wait' THEN b.state IN ('collecting', 'queued') OR o.id < b.id
  WHEN 'queued' THEN b.state = 'collecting' ELSE false END`;
/** Where a lock has several places, a batch waits for a free one only, and a sealed one has its own. */
const TAKEN_SLOTS = Prisma.sql`ARRAY(SELECT o.slot FROM batch o WHERE o.conversation_id = b.conversation_id AND o.id <> b.id
  AND ${SAME_LOCK} AND o.state IN ('running', 'retry_wait'))`;

async function readFacts(tx: Tx, batchIds: string[], conversationIds: string[], now: number): Promise<BatchFacts[]> {
  const batches = await tx.$queryRaw<Omit<BatchFacts, 'messages'>[]>`
    WITH clock AS MATERIALIZED (SELECT from_epoch_ms(${now}) AS now)
    SELECT b.id::text, b.conversation_id::text AS "conversationId", coalesce(c.merged_into_id, c.id)::text AS "rootId", c.account_id::text AS "accountId", b.thread, b.state,
      b.lock, b.slots, b.slot, c.group_id AS "groupId", coalesce(c.phone, c.user_id) AS person,
      CASE WHEN b.slots > 1 THEN ${TAKEN_SLOTS} ELSE '{}' END AS "takenSlots",
      epoch_ms(CASE b.state WHEN 'collecting' THEN b.due_at WHEN 'queued' THEN b.due_at WHEN 'retry_wait' THEN b.next_attempt_at ELSE b.lease_until END) AS "readyAt",
      epoch_ms(b.due_at) AS "dueAt", epoch_ms(b.first_at) AS "firstAt", b.attempts, b.fence::text, b.reason,
      c.taken_over_at IS NOT NULL AS "takenOver",
      CASE WHEN c.turn_day = (clock.now AT TIME ZONE 'UTC')::date THEN c.turns_today ELSE 0 END AS "turnsToday",
      b.slots = 1 AND EXISTS (SELECT FROM batch o WHERE ${OTHER_TURN} AND (o.conversation_id = coalesce(c.merged_into_id, c.id)
        OR o.conversation_id IN (SELECT id FROM conversation WHERE merged_into_id = coalesce(c.merged_into_id, c.id)))) AS "otherTurn",
      b.slots = 1 AND (EXISTS (SELECT FROM part p WHERE p.conversation_id = b.conversation_id AND ${unsettledPart('p')} AND ${OF_LOCK})
        OR EXISTS (SELECT FROM conversation m JOIN part p ON p.conversation_id = m.id AND ${unsettledPart('p')}
          WHERE m.merged_into_id = b.conversation_id)) AS "earlierUnsettled"
    FROM clock, batch b JOIN conversation c ON c.id = b.conversation_id
    WHERE b.id = ANY(${batchIds}::bigint[]) AND b.conversation_id = ANY(${conversationIds}::bigint[])
      AND coalesce(c.merged_into_id, c.id) = ANY(${conversationIds}::bigint[])
      AND b.state IN ('collecting', 'queued', 'retry_wait', 'running')`;
  const messages = await tx.$queryRaw<(BatchMessage & { batchId: string })[]>`
    SELECT batch_id::text AS "batchId", id::text AS "eventId", external_id AS "externalId", epoch_ms(provider_at) AS "providerAt",
      epoch_ms(arrived_at) AS "arrivedAt", ${POSITION} AS position, parsed AS event
    FROM event WHERE batch_id = ANY(${batches.map((batch) => batch.id)}::bigint[]) AND (outcome IS NULL OR outcome = 'in_batch')
    ORDER BY id`;
  const byBatch = new Map<string, BatchMessage[]>();
  for (const { batchId, ...message } of messages) byBatch.set(batchId, [...(byBatch.get(batchId) ?? []), message]);
  return batches.map((batch) => ({ ...batch, messages: byBatch.get(batch.id) ?? [] }));
}
