/** The words of the virtual overlaps in overlap-world.ts. Times are ms of its clock, which starts at 0. */
import type { Arrival } from '../src/arrival.js';
import type { BatchTimes } from '../src/batching.js';
import type { Policy } from '../src/policy.js';

export interface Said extends Arrival {
  id: string;
  chat: string;
  thread: string;
}

/** What becomes of one turn. `dies`: its process is gone after `ms` and the lease lapses `leaseMs` later. */
export interface Handling {
  ms: number;
  end: 'replies' | 'fails' | 'dies';
  /** A tool with an effect starts after so many ms; null: none. */
  effectMs: number | null;
}

export interface Script {
  policy: Policy;
  leaseMs: number;
  /** Instants between two looks of the claim loop; 1: it looks at every instant at which something happens. */
  tickMs: number;
  arrivals: Said[];
  handling(batch: Batch): Handling;
}

export interface Batch {
  number: number;
  chat: string;
  thread: string;
  lock: string;
  state: 'collecting' | 'queued' | 'running' | 'retry_wait' | 'ended';
  slots: number;
  times: BatchTimes;
  messages: Said[];
  attempts: number;
  restarts: number;
  irreversible: boolean;
  nextAttemptAt: number;
  leaseUntil: number;
}

/** One call of the assistant. */
export interface Call {
  at: number;
  batch: number;
  chat: string;
  thread: string;
  lock: string;
  attempt: number;
  restarts: number;
  messages: Said[];
  /** How long it holds its slot: to its end, or to the end of a dead holder's lease. */
  until: number;
  end: Handling['end'] | 'interrupted';
}

export interface End {
  said: Said;
  how: 'answered' | 'review' | 'dropped busy' | 'dropped queue-full' | 'expired' | 'superseded';
  at: number;
}

export interface Lived {
  calls: Call[];
  ends: End[];
  duplicates: number;
  /** Ids of messages without an end. */
  stranded: string[];
  /** The most messages that ever waited in one collecting batch. */
  mostWaiting: number;
}
