/** The words of the virtual life in life.ts. Times are epoch ms of its clock, which starts at 0. */
import type { Arrival } from '../src/arrival.js';
import type { BatchTimes } from '../src/batching.js';
import type { Policy } from '../src/policy.js';

/** A message; `position` names it. */
export interface Said extends Arrival {
  person: number;
  /** When a batcher comes to it; batchers overtake one another. */
  routedAt: number;
}

export interface Attempt {
  ms: number;
  /** `dies`: the process is gone after `ms`, and its lease lapses. */
  end: 'replies' | 'fails' | 'dies';
  /** How long the parts of the reply then stay unsettled. */
  settleMs: number;
}

export interface Script {
  policy: Policy;
  /** Turns at a time, over all responders. */
  slots: number;
  /** Sweeps come this often, and are the only wake-up that is certain. */
  tickMs: number;
  leaseMs: number;
  arrivals: Said[];
  /** What becomes of the turns, in the order of their claims; starts again at the end. */
  attempts: Attempt[];
  /** Instants at which the claim loop is rung besides: early, late, for nobody. */
  wakeUps: number[];
}

export interface Batch {
  id: number;
  person: number;
  state: 'collecting' | 'retry_wait' | 'running';
  times: BatchTimes;
  attempts: number;
  nextAttemptAt: number;
  leaseUntil: number;
  messages: Said[];
}

/** One person's conversation. */
export interface Chat {
  collecting: Batch | null;
  sealed: Batch | null;
  /** Until then parts of the last reply are unsettled. */
  settledAt: number;
  /** When its last turn was over. */
  freeAt: number;
}

export interface Turn {
  person: number;
  batch: number;
  attempt: number;
  messages: Said[];
  /** Grew too old while they waited, and left the batch at this claim. */
  late: Said[];
  claimedAt: number;
  stopsAt: number;
  /** Until then the lease holds, whether or not its holder lives. */
  validUntil: number;
  settledAt: number;
  end: Attempt['end'];
}

/** What became of a message. */
export interface End {
  said: Said;
  how: 'replied' | 'late' | 'turn-failed';
  batch: number | null;
  at: number;
}

export interface Life {
  turns: Turn[];
  ends: End[];
  /** Positions of messages without an end. */
  stranded: number[];
}

/** Looks at the world after each sweep. */
export type Watch = (view: { now: number; freeSlots: number; chats: Chat[] }) => void;
