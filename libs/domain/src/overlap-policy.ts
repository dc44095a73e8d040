/** The overlap strategies and their options: what an account may choose. Words and defaults follow Vercel's Chat SDK. */
import type { Channel } from './channel.js';

/**
 * What happens when messages arrive while others wait or while a turn is running. How they differ stands in
 * `OVERLAP_TABLE`; which one to take, in docs/overlap.md.
 */
export const STRATEGIES = ['batch', 'burst', 'queue', 'debounce', 'drop', 'concurrent', 'interrupt'] as const;
export type Strategy = (typeof STRATEGIES)[number];

export const QUEUE_FULL_ACTIONS = ['drop-oldest', 'drop-newest'] as const;
export type QueueFullAction = (typeof QUEUE_FULL_ACTIONS)[number];

/** `thread`: each thread has its own turn at a time; `channel`: all threads of a chat share one. */
export const LOCK_SCOPES = ['thread', 'channel'] as const;
export type LockScope = (typeof LOCK_SCOPES)[number];

/** What an account says about overlaps; what it leaves out has the default. Durations in ms. */
export interface OverlapSettings {
  strategy?: Strategy;
  /** The fixed wait of `burst`, the restarting one of `debounce`. */
  debounceMs?: number;
  /** Messages that may wait under `burst` and `queue`. */
  maxQueueSize?: number;
  onQueueFull?: QueueFullAction;
  /** A message that has waited longer is expired when its turn comes (`burst`, `queue`, `debounce`). */
  queueEntryTtlMs?: number;
  /** Turns of one conversation at once under `concurrent`; null: no limit. */
  maxConcurrent?: number | null;
  /** How often `interrupt` starts a turn anew. */
  maxRestarts?: number;
  lockScope?: LockScope;
}

/**
 * The same with nothing left out, and with the window and the cap of `batch` and `interrupt`.
 *
 * @example
 * const overlap = overlapOf({ ...policy, strategy: 'queue', maxQueueSize: 3 });
 * overlap.onQueueFull; // 'drop-oldest'
 */
export interface Overlap {
  strategy: Strategy;
  windowMs: number;
  maxWaitMs: number;
  debounceMs: number;
  maxQueueSize: number;
  onQueueFull: QueueFullAction;
  queueEntryTtlMs: number;
  maxConcurrent: number | null;
  maxRestarts: number;
}

export const OVERLAP_DEFAULTS: Readonly<Overlap> = {
  strategy: 'batch',
  windowMs: 20_000,
  maxWaitMs: 60_000,
  debounceMs: 1500,
  maxQueueSize: 10,
  onQueueFull: 'drop-oldest',
  queueEntryTtlMs: 90_000,
  maxConcurrent: null,
  maxRestarts: 2,
};

/** Which strategies look at an option; for the others it is ignored, with one warning. */
export const OPTION_USED_BY: Readonly<Record<Exclude<keyof Overlap, 'strategy'>, readonly Strategy[]>> = {
  windowMs: ['batch', 'interrupt'],
  maxWaitMs: ['batch', 'interrupt'],
  debounceMs: ['burst', 'debounce'],
  maxQueueSize: ['burst', 'queue'],
  onQueueFull: ['burst', 'queue'],
  queueEntryTtlMs: ['burst', 'queue', 'debounce'],
  maxConcurrent: ['concurrent'],
  maxRestarts: ['interrupt'],
};

/** Fills in the defaults. */
export function overlapOf(settings: OverlapSettings & Partial<Pick<Overlap, 'windowMs' | 'maxWaitMs'>>): Overlap {
  const given = Object.entries(settings).filter(([name, value]) => name in OVERLAP_DEFAULTS && value !== undefined);
  return { ...OVERLAP_DEFAULTS, ...(Object.fromEntries(given) as Partial<Overlap>) };
}

/** What a lock scope may depend on. `channelId`: the chat; `threadId`: the topic in it, null where there is none. */
export interface LockFacts {
  account: { channel: Channel; externalId: string };
  threadId: string | null;
  channelId: string;
  isDM: boolean;
}

/**
 * A scope for all conversations of an account, or a function of each.
 *
 * @example
 * const scope: LockScopeChoice = ({ isDM }) => (isDM ? 'channel' : 'thread');
 */
export type LockScopeChoice = LockScope | ((facts: LockFacts) => LockScope);

/** Phones show one stream of messages per chat; a Messenger thread is the chat. */
export const DEFAULT_LOCK_SCOPE: Readonly<Record<Channel, LockScope>> = {
  whatsapp: 'channel',
  telegram: 'channel',
  messenger: 'thread',
};

/** The key within the conversation under which one turn at a time runs: the thread, or one for all of them (empty). */
export function lockOf(choice: LockScopeChoice | undefined, facts: LockFacts): string {
  const chosen = typeof choice === 'function' ? choice(facts) : choice;
  const scope = chosen ?? DEFAULT_LOCK_SCOPE[facts.account.channel];
  return scope === 'thread' ? (facts.threadId ?? MAIN_THREAD) : '';
}

/** The thread of chats that have no topics. */
export const MAIN_THREAD = 'main';
