/** Gives unrouted events their place, conversation by conversation, a group of them in one transaction. */
import { ageInWords, saidAt, type BatchBounds, type ParsedEvent, type Policy } from '#domain';
import type { AccountDirectory } from './accounts.js';
import { applyTakeover } from './apply-takeover.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { findConversations, aliasesOf, writeAliases, type ChatOfEvent } from './find-conversations.js';
import { lockConversations, readClock, type LockedConversation } from './lock-conversations.js';
import { mergeConversations } from './merge-conversations.js';
import { findPartsOfStatuses } from './move-parts.js';
import { openReviews, type NewReview, type OpenedReview } from './open-reviews.js';
import type { OverlapNews } from './overlap-news.js';
import {
  placeChatEvent,
  policyOfEvent,
  slotOf,
  type BatchToBe,
  type ChatEvent,
  type PlaceContext,
} from './place-chat-event.js';
import type { PolicyChoices } from './policy-of.js';
import { readOverlap } from './read-overlap.js';
import { routeStatuses, statusesOf } from './route-statuses.js';
import { StaleRead } from './sql-errors.js';
import { takeUnrouted, type UnroutedEvent } from './take-unrouted.js';
import { writeOverlaps } from './write-overlaps.js';
import { writePlacements, type Placed, type TouchedBatch } from './write-placements.js';

export interface Routed {
  /** How many events got their place; as many as the limit: there may be more. */
  taken: number;
  placed: Placed[];
  batches: TouchedBatch[];
  reviews: OpenedReview[];
  /** What strategies other than `batch` did. */
  overlaps: OverlapNews[];
  /** Parts changed state, so that a waiting batch or part may be free to go. */
  partsMoved: boolean;
}

export interface RouteOptions {
  policy: Policy;
  /** For those who embed oneturn. */
  choices?: Partial<PolicyChoices> | undefined;
  /** The largest batch; a full one is due at once. */
  bounds: BatchBounds;
  limit: number;
  /** How long a message from the business's own phone silences the assistant, ms. */
  takeoverMs: number;
  /** Routes this one event alone. */
  only?: string;
}

export async function routeEvents(db: Database, accounts: AccountDirectory, options: RouteOptions): Promise<Routed> {
  await accounts.refresh();
  return inTransaction(db, (tx) => routeGroup(tx, accounts, options));
}

async function routeGroup(tx: Tx, accounts: AccountDirectory, options: RouteOptions): Promise<Routed> {
  const events = await takeUnrouted(tx, options.limit, options.only ?? null);
  if (events.length === 0) return { taken: 0, placed: [], batches: [], reviews: [], overlaps: [], partsMoved: false };

  const chats = events.filter(hasChat);
  const found = await findConversations(tx, chats.map(chatOf));
  const statuses = statusesOf(events);
  const parts = await findPartsOfStatuses(tx, statuses);
  const locked = await lockConversations(tx, [
    ...found.ids,
    ...found.merges.flatMap((merge) => [merge.survivor, merge.ended]),
    ...parts.map((part) => part.conversationId),
  ]);
  // Another batcher merged one of them away between our look-up and the lock.
  const meant = [...found.ids, ...found.merges.map((merge) => merge.ended)];
  if (meant.some((id) => locked.get(id)?.mergedInto !== null)) throw new StaleRead('a conversation was merged');
  const reviews: OpenedReview[] = [];
  for (const merge of found.merges) reviews.push(...(await mergeConversations(tx, merge.survivor, merge.ended)));
  // They have the other's last message and takeover now.
  const survivors = found.merges.map((merge) => merge.survivor);
  for (const [id, row] of await lockConversations(tx, survivors)) locked.set(id, row);
  await writeAliases(tx, found.names);
  const now = await readClock(tx);

  const inChats = chats.map((row, at): ChatEvent => ({
    row,
    accountId: row.accountId,
    event: row.event,
    conversationId: found.ids[at] as string,
  }));
  const takeovers = inChats.filter(({ event }) => event.kind === 'echo').map((chat) => chat.conversationId);
  reviews.push(...(await applyEchoes(tx, locked, takeovers, now, options.takeoverMs)));

  const batchesToBe = await readCollecting(tx, [...locked.keys()]);
  const context: PlaceContext = {
    ...{ accounts, policy: options.policy, choices: options.choices, bounds: options.bounds },
    ...{ locked, batches: batchesToBe, placed: new Map(), left: [], superseded: [], news: [], now },
    overlap: { turns: [], waiting: new Map() },
  };
  context.overlap = await readOverlap(tx, overlapping(inChats, context));
  const placed: Placed[] = inChats.map((chat) => placeChatEvent(chat, context));
  for (const row of events) if (!hasChat(row) && row.event.kind !== 'status') placed.push(placeBare(row));
  const moved = await routeStatuses(tx, statuses, events, now);
  placed.push(...moved.placed);

  const batches = await writePlacements(tx, placed, batchesToBe, now);
  await writeOverlaps(tx, context, batches, now);
  const cases = placed.flatMap((one) => reviewOf(one, now));
  reviews.push(...(await openReviews(tx, cases, now)), ...moved.reviews);
  const touched = [...batches.values()];
  return {
    taken: events.length,
    placed,
    batches: touched,
    reviews,
    overlaps: context.news,
    partsMoved: moved.partsMoved,
  };
}

/** A chat that names nobody leads to no conversation: such an event is placed by itself. */
function hasChat(
  row: UnroutedEvent,
): row is UnroutedEvent & { accountId: string; event: Extract<ParsedEvent, { chat: unknown }> } {
  return row.accountId !== null && 'chat' in row.event && aliasesOf(chatOf(row as never)).length > 0;
}

function chatOf(row: { accountId: string; event: Extract<ParsedEvent, { chat: unknown }> }): ChatOfEvent {
  return {
    accountId: row.accountId,
    chat: row.event.chat,
    formerly: row.event.kind === 'system' ? row.event.replaces : [],
  };
}

async function applyEchoes(
  tx: Tx,
  locked: Map<string, LockedConversation>,
  ids: string[],
  now: number,
  takeoverMs: number,
): Promise<OpenedReview[]> {
  if (ids.length === 0) return [];
  for (const id of ids) (locked.get(id) as LockedConversation).takenOver = true;
  return applyTakeover(tx, [...new Set(ids)], 'phone', now + takeoverMs, now);
}

async function readCollecting(tx: Tx, conversationIds: string[]): Promise<Map<string, BatchToBe>> {
  if (conversationIds.length === 0) return new Map();
  // The size is counted and not kept: it is bounded, and a column would have to follow every merge and retry.
  const rows = await tx.$queryRaw<Omit<BatchToBe, 'state' | 'slots'>[]>`
    SELECT b.id::text, b.conversation_id::text AS "conversationId", b.thread, b.lock, epoch_ms(b.first_at) AS "firstAt",
      epoch_ms(b.last_at) AS "lastAt", epoch_ms(b.due_at) AS "dueAt", size.messages, size.characters
    FROM batch b, LATERAL (SELECT count(*)::int AS messages, coalesce(sum(length(parsed->'speech'->>'text')), 0)::int AS characters
      FROM event WHERE batch_id = b.id AND outcome IS NULL) AS size
    WHERE b.conversation_id = ANY(${conversationIds}::bigint[]) AND b.state = 'collecting'`;
  return new Map(
    rows.map((row) => [slotOf(row.conversationId, row.thread), { ...row, state: 'collecting' as const, slots: 1 }]),
  );
}

/** Conversations whose strategy looks at what waits and runs; `batch` does not, and pays nothing for it. */
function overlapping(chats: ChatEvent[], context: PlaceContext): string[] {
  const ids = chats
    .filter(
      (chat) => chat.event.kind === 'message' && (policyOfEvent(chat, context).policy.strategy ?? 'batch') !== 'batch',
    )
    .map((chat) => chat.conversationId);
  return [...new Set(ids)];
}

/** Events that belong to no conversation: of the account, or unreadable. */
function placeBare(row: UnroutedEvent): Placed {
  const chatless = 'chat' in row.event;
  return {
    row,
    accountId: row.accountId,
    conversationId: null,
    thread: null,
    slot: null,
    placement:
      row.event.kind === 'notice' ? { kind: 'ignored', reason: 'notice' } : { kind: 'review', reason: 'unreadable' },
    opens: false,
    ...(chatless ? { why: 'it names neither a person nor a group' } : {}),
  };
}

function reviewOf(placed: Placed, now: number): NewReview[] {
  if (placed.placement.kind !== 'review') return [];
  const { row } = placed;
  const unreadable = row.event.kind === 'unreadable' ? row.event.why : null;
  const age = placed.placement.reason === 'late' ? `said ${ageInWords(now - saidAt(row))} ago: ` : '';
  return [
    {
      subject: `event:${row.id}`,
      reason: placed.placement.reason,
      detail: placed.why ?? unreadable ?? describe(row.event, age),
      accountId: placed.accountId,
      conversationId: placed.conversationId,
      eventId: row.id,
    },
  ];
}

function describe(event: ParsedEvent, age: string): string | null {
  if (event.kind === 'message') return `${age}${event.speech.text.slice(0, 500)}`;
  return event.kind === 'unsupported' ? `The channel did not hand over this message (${event.what}).` : null;
}
