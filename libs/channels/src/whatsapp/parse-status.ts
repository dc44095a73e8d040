/** One entry of `statuses[]`: what became of a message that we sent. They come in any order, twice, or early. */
import type { ParsedItem, StatusName } from '#domain';
import { type Envelope, makeItem, unreadable } from './item.js';
import { asBag, asId, asText, asTime, type Bag } from './read.js';
import { firstError } from './read-error.js';

const USED: readonly string[] = ['sent', 'delivered', 'read', 'failed'] satisfies StatusName[];

export function parseStatus(value: unknown, envelope: Envelope): ParsedItem {
  const status = asBag(value);
  const providerId = asId(status?.id);
  const name = asText(status?.status);
  if (status === null || providerId === null || name === null) {
    return makeItem(envelope, { as: 'status', value }, null, null, unreadable('status: no message or no state named'));
  }
  const recipient = recipientOf(status);
  const id = `${providerId}:${name}:${recipient ?? ''}`;
  return makeItem(envelope, { as: 'status', value }, id, asTime(status.timestamp), {
    kind: 'status',
    status: isUsed(name) ? name : null,
    name,
    providerId,
    tracker: typeof status.biz_opaque_callback_data === 'string' ? asText(status.biz_opaque_callback_data) : null,
    recipient,
    error: firstError(status.errors),
  });
}

/** In a group one message has a status per participant, so the participant goes before the group. */
function recipientOf(status: Bag): string | null {
  return (
    asId(status.recipient_participant_id) ??
    asId(status.recipient_participant_user_id) ??
    asId(status.recipient_id) ??
    asId(status.recipient_user_id)
  );
}

function isUsed(name: string): name is StatusName {
  return USED.includes(name);
}
