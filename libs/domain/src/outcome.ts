/** The closed sets that rows end in. Each name stands in the database's checks, in logs and in the ledger. */
export const EVENT_OUTCOMES = ['in_batch', 'applied', 'ignored', 'superseded', 'dropped', 'human', 'review'] as const;
export type EventOutcome = (typeof EVENT_OUTCOMES)[number];

export const BATCH_STATES = [
  'collecting',
  'queued',
  'running',
  'retry_wait',
  'replied',
  'silent',
  'review',
  'human',
  'superseded',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];
export const FINAL_BATCH_STATES = ['replied', 'silent', 'review', 'human', 'superseded'] as const;
export type FinalBatchState = (typeof FINAL_BATCH_STATES)[number];

export const PART_STATES = [
  'pending',
  'sending',
  'unknown',
  'accepted',
  'sent',
  'failed',
  'delivered',
  'read',
  'held',
] as const;
export type PartState = (typeof PART_STATES)[number];
/** In these the fate of a part is still open, and what follows it has to wait. */
export const UNSETTLED_PART_STATES = ['pending', 'sending', 'unknown'] as const;
export const ACCEPTED_PART_STATES = ['accepted', 'sent', 'delivered', 'read'] as const;

/** Why a person is asked. */
export type ReviewReason =
  | 'late'
  | 'unsupported'
  | 'unreadable'
  | 'turn-failed'
  | 'turn-limit'
  | 'assistant-asked'
  | 'window-closed'
  | 'send-failed'
  | 'unknown-send'
  | 'two-copies'
  | 'taken-over'
  | 'channel-paused';

/** Why an event was stored and then left alone. */
export type IgnoreReason =
  | 'unknown-account'
  | 'foreign-account'
  | 'reaction'
  | 'system'
  | 'notice'
  | 'unsupported'
  | 'status-not-used'
  | 'status-of-foreign-message'
  | 'own-echo'
  /** It waited longer than its strategy allows. */
  | 'expired';

/** Why a message got no turn. */
export type DropReason = 'busy' | 'queue-full';
