/** Parts of a case go out once more: the one that failed, and those of the same reply that were held behind it. */
import { serviceWindowOpen } from '#domain';
import type { Tx } from './database.js';
import type { HeldConversation } from './hold-conversation.js';
import type { LimitsOf } from './operator-message.js';
import { refused, type Retried } from './retry-messages.js';

interface PartToResend {
  id: string;
  state: string;
  reason: string | null;
  author: string;
  index: number;
}

const MAY_BE_DOUBLE = 'The customer may get this text twice: the channel may have accepted it the first time.';

/** The caller holds the conversation. */
export async function retryParts(
  tx: Tx,
  conversation: HeldConversation,
  about: { batchId: string | null; partId: string | null },
  limitsOf: LimitsOf,
): Promise<Retried> {
  const limits = limitsOf(conversation.channel);
  if (!limits) return refused(`Nothing can be sent on ${conversation.channel}.`);
  if (!serviceWindowOpen(conversation.lastInboundAt, limits.serviceWindowMs, conversation.now)) {
    return refused('The service window is closed: nothing can be sent until the customer writes again.');
  }
  const candidates = await lockParts(tx, about);
  const failed = candidates.find((part) => (about.partId === null ? mayGo(part) : part.id === about.partId));
  if (!failed) return refused('There is no part left to send.');
  if (!mayGo(failed)) return refused(`The part is ${failed.state} by now: there is nothing to send again.`);
  if (conversation.takenOver && failed.author === 'assistant') {
    return refused('A person has this conversation. Release it first, or write the text yourself.');
  }
  const behind = candidates.filter((part) => part.index > failed.index && part.state === 'held' && mayGo(part));
  const ids = [failed.id, ...behind.map((part) => part.id)];
  await tx.$executeRaw`
    UPDATE part SET state = 'pending', reason = NULL, next_attempt_at = from_epoch_ms(${conversation.now}),
      holder = NULL, lease_until = NULL, unknown_at = NULL, accepted_at = NULL, sent_at = NULL, failed_at = NULL,
      -- Late news of the first attempt must not fail the second one; its tracker can still prove a delivery.
      provider_id = NULL
    WHERE id = ANY(${ids}::bigint[])`;
  return { kind: 'retried', batchIds: [], partIds: ids, warning: failed.state === 'unknown' ? MAY_BE_DOUBLE : null };
}

/** Parts that a takeover held are drafts for good. */
function mayGo(part: PartToResend): boolean {
  if (part.state === 'held') return part.reason !== 'taken-over';
  return part.state === 'failed' || (part.state === 'unknown' && part.reason === 'in-review');
}

function lockParts(tx: Tx, about: { batchId: string | null; partId: string | null }): Promise<PartToResend[]> {
  return tx.$queryRaw<PartToResend[]>`
    SELECT id::text, state, reason, author, index FROM part
    WHERE id = ${about.partId}::bigint OR batch_id = ${about.batchId}::bigint
    ORDER BY part.id FOR NO KEY UPDATE`;
}
