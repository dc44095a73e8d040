/** Where an event goes: the router's decision table. */
import { isLate, saidAt, type Arrival } from './arrival.js';
import { withMessage, type BatchTimes } from './batching.js';
import { decideOverlap, type Leaving, type OverlapDecision, type OverlapFacts } from './decide-overlap.js';
import type { EventKind } from './inbound.js';
import type { DropReason, IgnoreReason, ReviewReason } from './outcome.js';
import { overlapOf } from './overlap-policy.js';
import type { Policy } from './policy.js';

export interface PlaceFacts<M extends Arrival = Arrival> {
  kind: Exclude<EventKind, 'status'>;
  arrival: Arrival;
  /** A person has the conversation. */
  takenOver: boolean;
  /** Nothing readable has come from this person yet. */
  firstContact: boolean;
  /** The conversation's collecting batch, if any. */
  collecting: BatchTimes | null;
  /** What waits and runs under its lock; `batch` decides without. */
  overlap?: OverlapFacts<M>;
}

export type Placement<M extends Arrival = Arrival> =
  /**
   * Joins the collecting batch, or opens one; `times` are the batch's from now on. `leaving`: who then waits no more,
   * perhaps the message itself. `turn`: what becomes of the turn under way.
   */
  | { kind: 'batch'; times: BatchTimes; leaving?: Leaving<M>[]; turn?: 'leave' | 'interrupt' | 'supersede' }
  /** A batch of its own, which takes no more messages. `slots`: turns at once under its lock. */
  | { kind: 'dispatch'; times: BatchTimes; slots: number }
  | { kind: 'dropped'; reason: DropReason }
  /** Stored and shown to the person who has the conversation. */
  | { kind: 'human' }
  | { kind: 'applied' }
  /** The business wrote from its own phone: the assistant steps back. */
  | { kind: 'takeover' }
  | { kind: 'ignored'; reason: IgnoreReason }
  | { kind: 'review'; reason: ReviewReason };

/** Decides the place of one event that is not a status. `now`: database clock under the conversation's lock. */
export function placeEvent<M extends Arrival>(facts: PlaceFacts<M>, policy: Policy, now: number): Placement<M> {
  switch (facts.kind) {
    case 'message':
      return placeMessage(facts, policy, now);
    case 'edit':
    case 'deletion':
      return { kind: 'applied' };
    case 'echo':
      return { kind: 'takeover' };
    case 'reaction':
      return { kind: 'ignored', reason: 'reaction' };
    case 'system':
      return { kind: 'ignored', reason: 'system' };
    case 'notice':
      return { kind: 'ignored', reason: 'notice' };
    case 'unsupported':
      // A first message that cannot be read would otherwise be a customer whom nobody ever answers.
      return facts.firstContact && !facts.takenOver
        ? { kind: 'review', reason: 'unsupported' }
        : { kind: 'ignored', reason: 'unsupported' };
    case 'unreadable':
      return { kind: 'review', reason: 'unreadable' };
  }
}

function placeMessage<M extends Arrival>(facts: PlaceFacts<M>, policy: Policy, now: number): Placement<M> {
  if (facts.takenOver) return { kind: 'human' };
  if (isLate(saidAt(facts.arrival), policy.lateAfterMs, now)) return { kind: 'review', reason: 'late' };
  if (facts.overlap) return placementOf(decideOverlap(facts.overlap, overlapOf(policy), now));
  return { kind: 'batch', times: withMessage(facts.collecting, facts.arrival.arrivedAt, policy) };
}

function placementOf<M extends Arrival>(decision: OverlapDecision<M>): Placement<M> {
  switch (decision.kind) {
    case 'collect':
      return { kind: 'batch', times: decision.times, leaving: decision.leaving, turn: decision.turn };
    case 'dispatch':
      return decision;
    case 'drop':
      return { kind: 'dropped', reason: decision.reason };
  }
}
