/** May a turn start on this batch now, and with which of its messages? */
import { isLate, saidAt, type Arrival } from './arrival.js';
import type { Policy } from './policy.js';

export interface ClaimFacts {
  state: 'collecting' | 'queued' | 'retry_wait' | 'running';
  /** Start of a turn, next attempt or end of the lease, by state; epoch ms. */
  readyAt: number;
  /** Attempts that were claimed so far, the one of a lapsed holder included. */
  attempts: number;
  takenOver: boolean;
  /** As many turns as its lock may have are running or wait for their next attempt: usually one. */
  otherTurn: boolean;
  /** Parts of earlier replies whose fate is open. */
  earlierUnsettled: boolean;
  messages: Arrival[];
  /** Turns that this conversation may still begin today; not given: as many as it likes. */
  turnsLeft?: number;
}

export type ClaimDecision =
  | { kind: 'refuse'; why: 'not-ready' | 'taken-over' | 'other-turn' | 'earlier-parts' }
  /** Positions of messages that are too late to be answered by the assistant; the rest makes the turn. */
  | { kind: 'claim'; late: number[] }
  /** All of them are late: a person decides. */
  | { kind: 'late' }
  /** So many turns in one day are no conversation any more: a person looks at it. */
  | { kind: 'over-limit' }
  /** Nothing is left to answer. */
  | { kind: 'empty' }
  /** The attempts are used up by holders that died: no process gets another try. */
  | { kind: 'exhausted' };

/** `now`: database clock under the conversation's lock, epoch ms. */
export function decideClaim(facts: ClaimFacts, policy: Policy, now: number): ClaimDecision {
  if (facts.takenOver) return { kind: 'refuse', why: 'taken-over' };
  if (facts.readyAt > now) return { kind: 'refuse', why: 'not-ready' };
  if (facts.otherTurn) return { kind: 'refuse', why: 'other-turn' };
  if (facts.earlierUnsettled) return { kind: 'refuse', why: 'earlier-parts' };
  if (facts.messages.length === 0) return { kind: 'empty' };
  if (facts.attempts >= policy.maxAttempts) return { kind: 'exhausted' };
  const late = facts.messages.filter((m) => isLate(saidAt(m), policy.lateAfterMs, now)).map((m) => m.position);
  if (late.length === facts.messages.length) return { kind: 'late' };
  const first = facts.state === 'collecting' || facts.state === 'queued';
  if (first && facts.turnsLeft !== undefined && facts.turnsLeft <= 0) return { kind: 'over-limit' };
  // A sealed batch keeps its messages: its journal already answers to all of them.
  return { kind: 'claim', late: first ? late : [] };
}
