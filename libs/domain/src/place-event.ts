/** Where an event goes: the router's decision table. */
import { isLate, saidAt, type Arrival } from './arrival.js';
import { withMessage, type BatchTimes } from './batching.js';
import type { EventKind } from './inbound.js';
import type { IgnoreReason, ReviewReason } from './outcome.js';
import type { Policy } from './policy.js';

export interface PlaceFacts {
  kind: Exclude<EventKind, 'status'>;
  arrival: Arrival;
  /** A person has the conversation. */
  takenOver: boolean;
  /** Nothing readable has come from this person yet. */
  firstContact: boolean;
  /** The conversation's collecting batch, if any. */
  collecting: BatchTimes | null;
}

export type Placement =
  /** Joins the collecting batch, or opens one; `times` are the batch's from now on. */
  | { kind: 'batch'; times: BatchTimes }
  /** Stored and shown to the person who has the conversation. */
  | { kind: 'human' }
  | { kind: 'applied' }
  /** The business wrote from its own phone: the assistant steps back. */
  | { kind: 'takeover' }
  | { kind: 'ignored'; reason: IgnoreReason }
  | { kind: 'review'; reason: ReviewReason };

/** Decides the place of one event that is not a status. `now`: database clock under the conversation's lock. */
export function placeEvent(facts: PlaceFacts, policy: Policy, now: number): Placement {
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

function placeMessage(facts: PlaceFacts, policy: Policy, now: number): Placement {
  if (facts.takenOver) return { kind: 'human' };
  if (isLate(saidAt(facts.arrival), policy.lateAfterMs, now)) return { kind: 'review', reason: 'late' };
  return { kind: 'batch', times: withMessage(facts.collecting, facts.arrival.arrivedAt, policy) };
}
