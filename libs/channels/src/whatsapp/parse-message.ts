/** One entry of `messages[]`: something a person said or did. */
import type { ChannelError, ChatRef, ParsedEvent, ParsedItem } from '#domain';
import { fillGaps, personOf, readIds } from './identity.js';
import { type Envelope, makeItem, unreadable } from './item.js';
import { isSpeechType, readSpeech } from './parse-speech.js';
import { systemEvent } from './parse-system.js';
import { asBag, asId, asText, asTime, type Bag } from './read.js';
import { firstError } from './read-error.js';

export function parseMessage(value: unknown, envelope: Envelope): ParsedItem {
  const message = asBag(value);
  if (message === null)
    return makeItem(envelope, { as: 'message', value }, null, null, unreadable('message: no object'));
  const ids = readIds(message.from, message.from_user_id, message.from_parent_user_id);
  const contact = envelope.contacts.find(ids);
  const sender = personOf(contact === null ? ids : fillGaps(ids, contact.ids), contact?.name ?? null);
  // Not sent by the API today. The simulator names threads, and what names them is kept apart.
  const chat: ChatRef = { groupId: asId(message.group_id), threadId: asId(message.thread_id), sender };
  const event = message.type === 'system' ? systemEvent(message, ids, chat) : messageEvent(message, chat, envelope);
  // The errors beside a message matter only when they say why it has no content.
  const errors = event.kind === 'unsupported' ? envelope.errors : null;
  const source = { as: 'message', value, contact: contact?.source, errors };
  return makeItem(envelope, source, asId(message.id), asTime(message.timestamp), event);
}

function messageEvent(message: Bag, chat: ChatRef, envelope: Envelope): ParsedEvent {
  if (chat.groupId === null && chat.sender.aliases.length === 0) return unreadable('message: nobody sent it');
  const type = asText(message.type) ?? 'unknown';
  const error = firstError(message.errors) ?? firstError(envelope.errors);
  switch (type) {
    case 'reaction':
      return reactionEvent(asBag(message.reaction), chat);
    case 'edit':
      return editEvent(asBag(message.edit), chat);
    case 'revoke':
      return deletionEvent(asBag(message.revoke), chat);
    case 'request_welcome':
      return {
        kind: 'system',
        chat,
        what: 'request_welcome',
        text: 'opened the chat for the first time',
        replaces: [],
      };
    case 'unsupported':
      return { kind: 'unsupported', chat, what: asText(asBag(message.unsupported)?.type) ?? 'unsupported', error };
    default:
      return speechEvent(type, message, chat, error);
  }
}

function speechEvent(type: string, message: Bag, chat: ChatRef, error: ChannelError | null): ParsedEvent {
  if (!isSpeechType(type)) return { kind: 'unsupported', chat, what: type, error };
  const speech = readSpeech(type, message);
  if (speech !== null) return { kind: 'message', chat, speech, replyTo: asId(asBag(message.context)?.id) };
  // Meta hands over a message without its content together with the reason; without one the payload is broken.
  return error !== null
    ? { kind: 'unsupported', chat, what: type, error }
    : unreadable(`message: ${type} without content`);
}

/** A removed reaction has no emoji, or an empty one. */
function reactionEvent(reaction: Bag | null, chat: ChatRef): ParsedEvent {
  const targetId = asId(reaction?.message_id);
  if (targetId === null) return unreadable('reaction: no message named');
  return { kind: 'reaction', chat, targetId, emoji: asText(reaction?.emoji) };
}

/** Sent for numbers that are also used in the business app; the inner `context.id` is a placeholder. */
export function editEvent(edit: Bag | null, chat: ChatRef): ParsedEvent {
  const targetId = asId(edit?.original_message_id);
  const message = asBag(edit?.message);
  if (targetId === null || message === null) return unreadable('edit: no message named or no content');
  const type = asText(message.type) ?? 'unknown';
  if (!isSpeechType(type)) return { kind: 'unsupported', chat, what: `edit:${type}`, error: null };
  const speech = readSpeech(type, message);
  return speech === null ? unreadable(`edit: ${type} without content`) : { kind: 'edit', chat, targetId, speech };
}

export function deletionEvent(revoke: Bag | null, chat: ChatRef): ParsedEvent {
  const targetId = asId(revoke?.original_message_id);
  return targetId === null ? unreadable('revoke: no message named') : { kind: 'deletion', chat, targetId };
}
