/** What "try again" means for a case, by its reason. */
import type { ReviewReason } from '#domain';
import type { Tx } from './database.js';
import type { HeldConversation } from './hold-conversation.js';
import type { LimitsOf } from './operator-message.js';
import type { WindowPolicy } from './release.js';
import { refused, retryMessages, type Retried } from './retry-messages.js';
import { retryParts } from './retry-parts.js';

export interface CaseFacts {
  reason: ReviewReason;
  batchId: string | null;
  partId: string | null;
  eventId: string | null;
}

/** The caller holds the conversation and the review. */
export async function retryReview(
  tx: Tx,
  facts: CaseFacts,
  conversation: HeldConversation,
  policy: WindowPolicy,
  limitsOf: LimitsOf,
): Promise<Retried> {
  switch (facts.reason) {
    case 'late':
    case 'turn-failed':
    case 'turn-limit':
    case 'assistant-asked':
    case 'taken-over':
      return retryMessages(tx, conversation, facts, policy);
    case 'send-failed':
    case 'unknown-send':
    case 'window-closed':
      return retryParts(tx, conversation, facts, limitsOf);
    case 'two-copies':
      return refused('The customer has this text twice already: there is nothing to send.');
    case 'unsupported':
      return refused('The channel did not hand over what the customer sent, so the assistant cannot read it either.');
    case 'unreadable':
    case 'channel-paused':
      return refused('This case belongs to no conversation.');
  }
}
