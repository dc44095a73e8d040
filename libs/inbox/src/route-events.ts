/** Gives unrouted events their place, conversation by conversation, a group of them in one transaction. */
import {
  ageInWords,
  closeWhenFull,
  placeEvent,
  policyFor,
  saidAt,
  type BatchBounds,
  type BatchSize,
  type BatchTimes,
  type ParsedEvent,
  type Policy,
} from '#domain';
import type { AccountDirectory } from './accounts.js';
import { applyTakeover } from './apply-takeover.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { findConversations, aliasesOf, writeAliases, type ChatOfEvent } from './find-conversations.js';
import { lockConversations, readClock, type LockedConversation } from './lock-conversations.js';
import { mergeConversations } from './merge-conversations.js';
import { findPartsOfStatuses } from './move-parts.js';
import { openReviews, type NewReview, type OpenedReview } from './open-reviews.js';
import { routeStatuses, statusesOf } from './route-statuses.js';
import { StaleRead } from './sql-errors.js';
import { takeUnrouted, type UnroutedEvent } from './take-unrouted.js';
import { writePlacements, type Placed, type TouchedBatch } from './write-placements.js';

export interface Routed {
  /** How many events got their place; as many as the limit: there may be more. */
  taken: number;
  placed: Placed[];
  batches: TouchedBatch[];
  reviews: OpenedReview[];
  /** Parts changed state, so that a waiting batch or part may be free to go. */
  partsMoved: boolean;
}

export interface RouteOptions {
  policy: Policy;
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

interface ChatEvent {
  row: UnroutedEvent;
  accountId: string;
  event: Extract<ParsedEvent, { chat: unknown }>;
  conversationId: string;
}

async function routeGroup(tx: Tx, accounts: AccountDirectory, options: RouteOptions): Promise<Routed> {
  const events = await takeUnrouted(tx, options.limit, options.only ?? null);
  if (events.length === 0) return { taken: 0, placed: [], batches: [], reviews: [], partsMoved: false };

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

  const collecting = await readCollecting(tx, [...locked.keys()]);
  const placed: Placed[] = [];
  for (const chat of inChats) {
    placed.push(
      placeChatEvent(
        chat,
        locked,
        collecting,
        { policy: policyOf(accounts, chat.accountId, options.policy), bounds: options.bounds },
        now,
      ),
    );
  }
  for (const row of events) if (!hasChat(row) && row.event.kind !== 'status') placed.push(placeBare(row));
  const moved = await routeStatuses(tx, statuses, events, now);
  placed.push(...moved.placed);

  const batches = await writePlacements(tx, placed, collecting, now);
  reviews.push(
    ...(await openReviews(
      tx,
      placed.flatMap((one) => reviewOf(one, now)),
      now,
    )),
    ...moved.reviews,
  );
  return { taken: events.length, placed, batches, reviews, partsMoved: moved.partsMoved };
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

function policyOf(accounts: AccountDirectory, accountId: string, base: Policy): Policy {
  return policyFor(base, accounts.findById(accountId)?.overrides ?? {});
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

const slotOf = (conversationId: string, thread: string): string => `${conversationId}\n${thread}`;

type Collecting = BatchTimes & BatchSize & { id?: string };

async function readCollecting(tx: Tx, conversationIds: string[]): Promise<Map<string, Collecting>> {
  if (conversationIds.length === 0) return new Map();
  // The size is counted and not kept: it is bounded, and a column would have to follow every merge and retry.
  const rows = await tx.$queryRaw<(Collecting & { id: string; conversationId: string; thread: string })[]>`
    SELECT b.id::text, b.conversation_id::text AS "conversationId", b.thread, epoch_ms(b.first_at) AS "firstAt",
      epoch_ms(b.last_at) AS "lastAt", epoch_ms(b.due_at) AS "dueAt", size.messages, size.characters
    FROM batch b, LATERAL (SELECT count(*)::int AS messages, coalesce(sum(length(parsed->'speech'->>'text')), 0)::int AS characters
      FROM event WHERE batch_id = b.id AND outcome IS NULL) AS size
    WHERE b.conversation_id = ANY(${conversationIds}::bigint[]) AND b.state = 'collecting'`;
  return new Map(rows.map((row) => [slotOf(row.conversationId, row.thread), row]));
}

function placeChatEvent(
  { row, event, accountId, conversationId }: ChatEvent,
  locked: Map<string, LockedConversation>,
  collecting: Map<string, Collecting>,
  options: { policy: Policy; bounds: BatchBounds },
  now: number,
): Placed {
  const conversation = locked.get(conversationId) as LockedConversation;
  const thread = event.chat.threadId ?? 'main';
  const slot = slotOf(conversationId, thread);
  const before = collecting.get(slot) ?? null;
  const placement = placeEvent(
    {
      kind: event.kind,
      arrival: row,
      takenOver: conversation.takenOver,
      firstContact: conversation.lastInboundAt === null,
      collecting: before,
    },
    options.policy,
    now,
  );
  const opens = placement.kind === 'batch' && before === null;
  if (placement.kind === 'batch') {
    const characters = event.kind === 'message' ? event.speech.text.length : 0;
    const size = { messages: (before?.messages ?? 0) + 1, characters: (before?.characters ?? 0) + characters };
    const times = closeWhenFull(placement.times, size, options.bounds, row.arrivedAt);
    collecting.set(slot, { ...before, ...times, ...size });
  }
  if (event.kind === 'message' || event.kind === 'unsupported') {
    // Later events of this group see it: only the very first one is a first contact.
    conversation.lastInboundAt = Math.max(conversation.lastInboundAt ?? 0, saidAt(row));
  }
  return { row, accountId, conversationId, thread, slot, placement, opens };
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
