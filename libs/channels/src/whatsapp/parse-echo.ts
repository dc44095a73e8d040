/**
 * One entry of `message_echoes[]`: somebody at the business wrote from the business app on a phone (coexistence). The
 * chat's person is the one written to. Echoes do not open the service window (Meta, smb_message_echoes webhook).
 */
import type { ChatRef, ParsedEvent, ParsedItem, Speech } from '#domain';
import { fillGaps, personOf, readIds } from './identity.js';
import { type Envelope, makeItem, unreadable } from './item.js';
import { deletionEvent, editEvent } from './parse-message.js';
import { isSpeechType, readSpeech } from './parse-speech.js';
import { asBag, asId, asText, asTime, type Bag } from './read.js';

export function parseEcho(value: unknown, envelope: Envelope): ParsedItem {
  const echo = asBag(value);
  if (echo === null) return makeItem(envelope, { as: 'echo', value }, null, null, unreadable('echo: no object'));
  const ids = readIds(echo.to, echo.to_user_id, echo.to_parent_user_id);
  const contact = envelope.contacts.find(ids);
  const person = personOf(contact === null ? ids : fillGaps(ids, contact.ids), contact?.name ?? null);
  const chat: ChatRef = { groupId: asId(echo.group_id), threadId: null, sender: person };
  const source = { as: 'echo', value, contact: contact?.source };
  return makeItem(envelope, source, asId(echo.id), asTime(echo.timestamp), echoEvent(echo, chat));
}

function echoEvent(echo: Bag, chat: ChatRef): ParsedEvent {
  if (chat.groupId === null && chat.sender.aliases.length === 0) return unreadable('echo: written to nobody');
  const type = asText(echo.type) ?? 'unknown';
  if (type === 'reaction') return { kind: 'notice', what: 'echo:reaction', text: 'the business reacted to a message' };
  if (type === 'edit') return editEvent(asBag(echo.edit), chat);
  if (type === 'revoke') return deletionEvent(asBag(echo.revoke), chat);
  return { kind: 'echo', chat, speech: echoSpeech(type, echo) };
}

/** Whatever it was, a person at the business is answering: content that we cannot read must not hide that. */
function echoSpeech(type: string, echo: Bag): Speech {
  const speech = isSpeechType(type) ? readSpeech(type, echo) : null;
  return speech ?? { type: 'text', text: `[${type}]`, media: null, details: null };
}
