/** One entry of `user_id_update[]`: a business-scoped id was rotated, and this links the old one to the new one. */
import type { ParsedItem } from '#domain';
import { aliasesOf, fillGaps, personOf, readIds } from './identity.js';
import { type Envelope, makeItem, unreadable } from './item.js';
import { asBag, asText, asTime } from './read.js';

export function parseUserIdUpdate(value: unknown, envelope: Envelope): ParsedItem {
  const update = asBag(value);
  const user = asBag(update?.user_id);
  const parent = asBag(update?.parent_user_id);
  const current = readIds(update?.wa_id, user?.current, parent?.current);
  const previous = readIds(null, user?.previous, parent?.previous);
  const source = { as: 'update', value };
  if (update === null || aliasesOf(current).length === 0) {
    return makeItem(envelope, source, null, null, unreadable('user_id_update: nobody named'));
  }
  const contact = envelope.contacts.find(current) ?? envelope.contacts.find(previous);
  const sender = personOf(contact === null ? current : fillGaps(current, contact.ids), contact?.name ?? null);
  return makeItem(envelope, { ...source, contact: contact?.source }, null, asTime(update.timestamp), {
    kind: 'system',
    chat: { groupId: null, threadId: null, sender },
    what: 'user_id_update',
    text: asText(update.detail) ?? '',
    replaces: aliasesOf(previous).filter((alias) => !sender.aliases.some((kept) => kept.value === alias.value)),
  });
}
