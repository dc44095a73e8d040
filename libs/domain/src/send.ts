/** May this part leave now? Asked in the statement that marks it `sending`, and answered under the conversation's lock. */
import type { Policy } from './policy.js';

export interface SendFacts {
  author: 'assistant' | 'operator';
  takenOver: boolean;
  /** Provider time of the latest inbound message, epoch ms; null: nothing ever came in. */
  lastInboundAt: number | null;
  /** null: the channel has no service window. */
  serviceWindowMs: number | null;
  accountPaused: boolean;
  /** Latest of the part's own next attempt, the conversation's spacing and the account's backoff, epoch ms. */
  notBefore: number;
  /** An earlier part of the conversation is pending, sending or unknown. */
  earlierUnsettled: boolean;
}

export type SendDecision =
  | { kind: 'send' }
  | { kind: 'wait'; why: 'order' | 'pace' | 'account-paused' }
  | { kind: 'hold'; why: 'taken-over' | 'window-closed' };

/** The channel's clock and ours differ, and the bytes need time to get there. */
export const SERVICE_WINDOW_MARGIN_MS = 1000;

export function serviceWindowOpen(lastInboundAt: number | null, windowMs: number | null, now: number): boolean {
  if (windowMs === null) return true;
  return lastInboundAt !== null && now < lastInboundAt + windowMs - SERVICE_WINDOW_MARGIN_MS;
}

/** `now`: database clock under the conversation's lock, epoch ms. */
export function decideSend(facts: SendFacts, now: number): SendDecision {
  if (facts.takenOver && facts.author === 'assistant') return { kind: 'hold', why: 'taken-over' };
  if (!serviceWindowOpen(facts.lastInboundAt, facts.serviceWindowMs, now))
    return { kind: 'hold', why: 'window-closed' };
  if (facts.earlierUnsettled) return { kind: 'wait', why: 'order' };
  if (facts.accountPaused) return { kind: 'wait', why: 'account-paused' };
  if (facts.notBefore > now) return { kind: 'wait', why: 'pace' };
  return { kind: 'send' };
}

export type UnknownDecision = { kind: 'wait' } | { kind: 'review' } | { kind: 'resend' };

/** What to do with a part of unknown fate. Times in epoch ms. */
export function decideUnknown(
  unknownAt: number,
  attempts: number,
  policy: Pick<Policy, 'unknownWaitMs' | 'unknownSend' | 'maxAttempts'>,
  now: number,
): UnknownDecision {
  if (now < unknownAt + policy.unknownWaitMs) return { kind: 'wait' };
  if (policy.unknownSend === 'resend' && attempts < policy.maxAttempts) return { kind: 'resend' };
  return { kind: 'review' };
}
