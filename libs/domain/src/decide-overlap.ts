/** What a message does to what waits and what runs: policy × state × event × now, one row per strategy. */
import { byTimeSaid, type Arrival } from './arrival.js';
import { withMessage, type BatchTimes } from './batching.js';
import type { DropReason } from './outcome.js';
import type { Overlap, Strategy } from './overlap-policy.js';

/**
 * - `window`: collect; the window restarts with every message, never past the cap
 * - `fixed`: collect; a fixed wait from the first message
 * - `next`: collect; due at once, so that it is dispatched when the turn ends
 * - `latest`: collect alone; the window restarts, earlier messages are superseded
 * - `dispatch`: a turn of its own, at once
 * - `restart`: stop the turn and collect old and new together, while that is possible; otherwise `window`
 * - `drop`: dropped, visibly
 */
export type OverlapStep = 'window' | 'fixed' | 'next' | 'latest' | 'dispatch' | 'restart' | 'drop';

interface Row {
  /** A message to a conversation without a turn. */
  idle: OverlapStep;
  /** A message while a turn is dispatched, running, or between two attempts. */
  busy: OverlapStep;
  /** maxQueueSize and onQueueFull bound what waits. */
  bounded: boolean;
  /** queueEntryTtlMs expires what waits, when its turn comes. */
  expires: boolean;
}

const OPEN = { bounded: false, expires: false };

/** The table of docs/overlap.md, to be checked by eye. */
export const OVERLAP_TABLE: Readonly<Record<Strategy, Row>> = {
  batch: { idle: 'window', busy: 'window', ...OPEN },
  burst: { idle: 'fixed', busy: 'next', bounded: true, expires: true },
  queue: { idle: 'dispatch', busy: 'next', bounded: true, expires: true },
  debounce: { idle: 'latest', busy: 'latest', bounded: false, expires: true },
  drop: { idle: 'dispatch', busy: 'drop', ...OPEN },
  interrupt: { idle: 'window', busy: 'restart', ...OPEN },
  concurrent: { idle: 'dispatch', busy: 'dispatch', ...OPEN },
};

/** A turn under the same lock; the one of the message's own thread, if there are several. */
export interface TurnUnderWay {
  /** `queued`: dispatched, and no responder has it yet. */
  state: 'queued' | 'running' | 'retry_wait';
  sameThread: boolean;
  /** Arrival of the first message that it answers, epoch ms. */
  firstAt: number;
  /** How often its messages have been taken back from a turn. */
  restarts: number;
  /** A tool with an effect was started, or a part exists. */
  irreversible: boolean;
}

/** The lock that the message falls under, as it is when it arrives. */
export interface OverlapFacts<M extends Arrival = Arrival> {
  message: M;
  /** What its thread has collected so far. */
  collecting: (BatchTimes & { messages: readonly M[] }) | null;
  /** Some thread under the lock is collecting. */
  waiting: boolean;
  turn: TurnUnderWay | null;
}

/** A message that waited, or the new one itself, and waits no more. */
export interface Leaving<M> {
  message: M;
  outcome: 'dropped' | 'superseded';
  reason: DropReason | 'newer-message';
}

export type OverlapDecision<M extends Arrival = Arrival> =
  | {
      kind: 'collect';
      /** The collecting batch's times from now on. */
      times: BatchTimes;
      leaving: Leaving<M>[];
      /** `interrupt`: the running turn stops and its messages collect anew. `supersede`: the turn that waits for its next attempt ends. */
      turn: 'leave' | 'interrupt' | 'supersede';
    }
  /** `slots`: how many turns may run at once under its lock. */
  | { kind: 'dispatch'; times: BatchTimes; slots: number }
  | { kind: 'drop'; reason: DropReason };

/** Where the limit is none: more than any lock will see. */
export const NO_LIMIT = 2_147_483_647;

/**
 * Decides what becomes of one message and of those before it.
 * @param now database clock under the conversation's lock, epoch ms.
 *
 * @example
 * decideOverlap({ message, collecting: null, waiting: false, turn: null }, overlapOf({ strategy: 'burst' }), now);
 * // collect, due 1500 ms after the message
 */
export function decideOverlap<M extends Arrival>(
  facts: OverlapFacts<M>,
  overlap: Overlap,
  now: number,
): OverlapDecision<M> {
  const step = stepOf(facts, overlap, now);
  const { message, collecting } = facts;
  const at = message.arrivedAt;
  const atOnce = { firstAt: at, lastAt: at, dueAt: at };
  switch (step) {
    case 'drop':
      return { kind: 'drop', reason: 'busy' };
    case 'dispatch':
      return {
        kind: 'dispatch',
        times: atOnce,
        slots: overlap.strategy === 'concurrent' ? (overlap.maxConcurrent ?? NO_LIMIT) : 1,
      };
    case 'restart': {
      const firstAt = Math.min((facts.turn as TurnUnderWay).firstAt, at);
      const times = withMessage({ firstAt, lastAt: at, dueAt: at }, at, overlap);
      return { kind: 'collect', times, leaving: [], turn: 'interrupt' };
    }
    case 'window':
      return { kind: 'collect', times: withMessage(collecting, at, overlap), leaving: [], turn: 'leave' };
    case 'latest':
      return onlyLatest(facts, overlap);
    case 'fixed':
    case 'next': {
      const full = whoLeaves(facts, overlap);
      if (full.length === 1 && full[0]?.message === message) return { kind: 'drop', reason: 'queue-full' };
      const dueAt = step === 'next' ? at : at + overlap.debounceMs;
      return { kind: 'collect', times: soonest(collecting, at, dueAt), leaving: full, turn: 'leave' };
    }
  }
}

function stepOf(facts: OverlapFacts, overlap: Overlap, now: number): OverlapStep {
  const row = OVERLAP_TABLE[overlap.strategy];
  // What waits goes first: a message must not overtake it by a turn of its own.
  const busy = facts.turn !== null || (facts.waiting && row.idle === 'dispatch');
  const step = busy ? row.busy : row.idle;
  return step === 'restart' && !mayRestart(facts, overlap, now) ? 'window' : step;
}

function mayRestart({ turn, collecting }: OverlapFacts, overlap: Overlap, now: number): boolean {
  return (
    turn?.state === 'running' &&
    turn.sameThread &&
    // Others have found that it cannot be stopped any more: nobody may overtake them.
    collecting === null &&
    !turn.irreversible &&
    turn.restarts < overlap.maxRestarts &&
    now < turn.firstAt + overlap.maxWaitMs
  );
}

/** Due with the earliest of its messages, in whatever order they come. */
function soonest(times: BatchTimes | null, at: number, dueAt: number): BatchTimes {
  if (!times) return { firstAt: at, lastAt: at, dueAt };
  return {
    firstAt: Math.min(times.firstAt, at),
    lastAt: Math.max(times.lastAt, at),
    dueAt: Math.min(times.dueAt, dueAt),
  };
}

function onlyLatest<M extends Arrival>({ message, collecting, turn }: OverlapFacts<M>, overlap: Overlap) {
  const all = [...(collecting?.messages ?? []), message].sort(byTimeSaid);
  const latest = all.pop() as M;
  const lastAt = Math.max(collecting?.lastAt ?? 0, message.arrivedAt);
  const times = { firstAt: latest.arrivedAt, lastAt, dueAt: lastAt + overlap.debounceMs };
  const leaving = all.map((one) => ({ message: one, outcome: 'superseded', reason: 'newer-message' }) as const);
  const replaces = turn?.state === 'retry_wait' && turn.sameThread && !turn.irreversible;
  return { kind: 'collect' as const, times, leaving, turn: replaces ? ('supersede' as const) : ('leave' as const) };
}

/** Who has no place in the queue once the message is in it. */
function whoLeaves<M extends Arrival>({ message, collecting }: OverlapFacts<M>, overlap: Overlap): Leaving<M>[] {
  const waiting = collecting?.messages ?? [];
  const surplus = waiting.length + 1 - overlap.maxQueueSize;
  if (!OVERLAP_TABLE[overlap.strategy].bounded || surplus <= 0) return [];
  const gone =
    overlap.onQueueFull === 'drop-newest' ? [message] : [...waiting, message].sort(byTimeSaid).slice(0, surplus);
  return gone.map((one) => ({ message: one, outcome: 'dropped', reason: 'queue-full' }));
}

/** Those of the waiting messages that have waited too long when their turn comes. As old as allowed still counts. */
export function expiredOf<M extends Arrival>(messages: readonly M[], overlap: Overlap, now: number): M[] {
  if (!OVERLAP_TABLE[overlap.strategy].expires) return [];
  return messages.filter((message) => now > message.arrivedAt + overlap.queueEntryTtlMs);
}
