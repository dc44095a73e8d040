/** The place of one event of a chat, and what it changes for those that wait or run there. Nothing is written yet. */
import {
  closeWhenFull,
  lockOf,
  MAIN_THREAD,
  placeEvent,
  saidAt,
  type BatchBounds,
  type BatchSize,
  type BatchTimes,
  type OverlapFacts,
  type ParsedEvent,
  type Placement,
  type Policy,
  type Strategy,
} from '#domain';
import type { AccountDirectory } from './accounts.js';
import type { LockedConversation } from './lock-conversations.js';
import { newsOf, type OverlapNews } from './overlap-news.js';
import { lockFactsOf, policyOfChat, type PolicyChoices } from './policy-of.js';
import { locksConflict, type OverlapState, type TurnOfLock, type WaitingMessage } from './read-overlap.js';
import type { UnroutedEvent } from './take-unrouted.js';
import type { Placed } from './write-placements.js';

export interface ChatEvent {
  row: UnroutedEvent;
  accountId: string;
  event: Extract<ParsedEvent, { chat: unknown }>;
  conversationId: string;
}

/** A batch as it is to be after this group; without an id it is new. */
export interface BatchToBe extends BatchTimes, BatchSize {
  id?: string;
  conversationId: string;
  thread: string;
  lock: string;
  state: 'collecting' | 'queued';
  slots: number;
  /** The turn whose messages it takes back. */
  replaces?: TurnOfLock;
}

/** A message that was stored by an earlier group and waits no more. */
export interface LeftBatch {
  eventId: string;
  outcome: 'dropped' | 'superseded';
  reason: string;
}

export interface PlaceContext {
  accounts: AccountDirectory;
  policy: Policy;
  choices: Partial<PolicyChoices> | undefined;
  bounds: BatchBounds;
  locked: Map<string, LockedConversation>;
  /** By slot: conversation and thread, and the event for a batch of its own. */
  batches: Map<string, BatchToBe>;
  overlap: OverlapState;
  /** What this group has placed so far, by event. */
  placed: Map<string, Placed>;
  left: LeftBatch[];
  /** Turns that end because their messages are taken back, or replaced by newer ones. */
  superseded: TurnOfLock[];
  news: OverlapNews[];
  now: number;
}

export const slotOf = (conversationId: string, thread: string): string => `${conversationId}\n${thread}`;

/** The policy of the event's chat, and the lock it falls under. */
export function policyOfEvent(
  { event, accountId }: ChatEvent,
  context: PlaceContext,
): { policy: Policy; lock: string } {
  const thread = event.chat.threadId ?? MAIN_THREAD;
  const chat = { accountId, thread, groupId: event.chat.groupId, person: event.chat.sender.aliases[0]?.value ?? null };
  const policy = policyOfChat(context.accounts, context.policy, context.choices, chat);
  const facts = lockFactsOf(context.accounts, chat);
  return { policy, lock: lockOf(context.choices?.lockScope ?? policy.lockScope, facts) };
}

export function placeChatEvent(chat: ChatEvent, context: PlaceContext): Placed {
  const { row, event, accountId, conversationId } = chat;
  const conversation = context.locked.get(conversationId) as LockedConversation;
  const thread = event.chat.threadId ?? MAIN_THREAD;
  const slot = slotOf(conversationId, thread);
  const before = context.batches.get(slot) ?? null;
  const { policy, lock } = policyOfEvent(chat, context);
  const strategy = policy.strategy ?? 'batch';
  const message = waitingMessage(row, event);
  const place = { conversationId, thread, lock: before?.lock ?? lock, slot };
  const overlap = strategy === 'batch' ? null : overlapFacts(message, place, before, context);
  const placement = placeEvent(
    {
      kind: event.kind,
      arrival: row,
      takenOver: conversation.takenOver,
      firstContact: conversation.lastInboundAt === null,
      collecting: before,
      ...(overlap === null ? {} : { overlap: overlap.facts }),
    },
    policy,
    context.now,
  );
  const opens = placement.kind === 'batch' && before === null;
  const own = placement.kind === 'dispatch' ? `${slot}\n${row.id}` : slot;
  const placed: Placed = { row, accountId, conversationId, thread, slot: own, placement, opens, strategy };
  context.placed.set(row.id, placed);
  if (placement.kind === 'batch') join(message, placement, place, before, overlap?.turn ?? null, strategy, context);
  if (placement.kind === 'dispatch') dispatch(placement, { ...place, slot: own }, message, context);
  // Of one that the queue lets go again, or that an older one replaces, joining has told.
  if (event.kind === 'message' && overlap !== null && placed.placement === placement) {
    const batchId = context.batches.get(own)?.id ?? null;
    context.news.push(
      ...newsOf(placed, {
        batchId,
        busy: overlap.facts.turn !== null && !startsAnew(placement),
        queueDepth: depth(own, context),
      }),
    );
  }
  if (event.kind === 'message' || event.kind === 'unsupported') {
    // Later events of this group see it: only the very first one is a first contact.
    conversation.lastInboundAt = Math.max(conversation.lastInboundAt ?? 0, saidAt(row));
  }
  return placed;
}

interface Place {
  conversationId: string;
  thread: string;
  lock: string;
  slot: string;
}

function waitingMessage(row: UnroutedEvent, event: ChatEvent['event']): WaitingMessage {
  const { id: eventId, externalId, providerAt, arrivedAt, position } = row;
  const characters = event.kind === 'message' ? event.speech.text.length : 0;
  return { eventId, externalId, providerAt, arrivedAt, position, characters };
}

function overlapFacts(
  message: WaitingMessage,
  { conversationId, thread, lock, slot }: Place,
  before: BatchToBe | null,
  { overlap, batches }: PlaceContext,
): { facts: OverlapFacts<WaitingMessage>; turn: TurnOfLock | null } {
  const under = <T extends { conversationId: string; lock: string }>(one: T): boolean =>
    one.conversationId === conversationId && locksConflict(one.lock, lock);
  const turns = overlap.turns.filter(under);
  const turn = turns.find((one) => one.thread === thread) ?? turns[0] ?? null;
  const waiting = [...batches.values()].some((batch) => batch.state === 'collecting' && under(batch));
  const collecting = before && { ...before, messages: overlap.waiting.get(before.id ?? slot) ?? [] };
  return {
    facts: { message, collecting, waiting, turn: turn && { ...turn, sameThread: turn.thread === thread } },
    turn,
  };
}

function join(
  message: WaitingMessage,
  placement: Extract<Placement<WaitingMessage>, { kind: 'batch' }>,
  { conversationId, thread, lock, slot }: Place,
  before: BatchToBe | null,
  turn: TurnOfLock | null,
  strategy: Strategy,
  context: PlaceContext,
): void {
  const gone = (placement.leaving ?? []).map((one) => one.message);
  const size = gone.reduce(
    (left, one) => ({ messages: left.messages - 1, characters: left.characters - one.characters }),
    { messages: (before?.messages ?? 0) + 1, characters: (before?.characters ?? 0) + message.characters },
  );
  const times = closeWhenFull(placement.times, size, context.bounds, message.arrivedAt);
  const fresh = { conversationId, thread, lock, state: 'collecting' as const, slots: 1 };
  const replaces = placement.turn === 'interrupt' && turn ? { replaces: turn } : {};
  context.batches.set(slot, { ...fresh, ...before, ...times, ...size, ...replaces });
  if (strategy === 'batch') return;
  const key = before?.id ?? slot;
  const waiting = [...(context.overlap.waiting.get(key) ?? []), message];
  context.overlap.waiting.set(
    key,
    waiting.filter((one) => !gone.includes(one)),
  );
  for (const { message: one, outcome, reason } of placement.leaving ?? []) {
    const placed = context.placed.get(one.eventId);
    if (placed) placed.placement = { kind: outcome, reason } as Placed['placement'];
    else context.left.push({ eventId: one.eventId, outcome, reason });
    context.news.push({
      ...{ event: outcome === 'dropped' ? 'message-dropped' : 'message-superseded', reason, strategy, conversationId },
      ...{ eventId: one.eventId, messageId: one.externalId, batchId: before?.id ?? null },
    });
  }
  if (turn === null || placement.turn === 'leave') return;
  context.overlap.turns = context.overlap.turns.filter((one) => one !== turn);
  context.superseded.push(turn);
  const event = placement.turn === 'interrupt' ? ('turn-interrupted' as const) : ('message-superseded' as const);
  const reason = placement.turn === 'interrupt' ? 'interrupted' : 'newer-message';
  const by = { eventId: message.eventId, messageId: message.externalId };
  context.news.push({ event, reason, strategy, conversationId, batchId: turn.batchId, ...by });
}

function dispatch(
  { times, slots }: Extract<Placement<WaitingMessage>, { kind: 'dispatch' }>,
  { conversationId, thread, lock, slot }: Place,
  message: WaitingMessage,
  { batches, overlap }: PlaceContext,
): void {
  const size = { messages: 1, characters: message.characters };
  batches.set(slot, { ...times, ...size, conversationId, thread, lock, state: 'queued', slots });
  const turn = { state: 'queued', firstAt: times.firstAt, restarts: 0, irreversible: false } as const;
  overlap.turns.push({ ...turn, batchId: '', conversationId, thread, lock });
}

const startsAnew = (placement: Placement<WaitingMessage>): boolean =>
  placement.kind === 'batch' && placement.turn !== 'leave';

const depth = (slot: string, { batches }: PlaceContext): number => batches.get(slot)?.messages ?? 0;
