/** What a channel can tell us, parsed: the closed set of events that the router knows. */
import type { ChannelError } from './channel.js';
import type { JsonObject } from './json.js';

/**
 * `phone`, `user` (business-scoped id) and `parent` (portfolio-wide id) name a person, `group` names a group chat.
 * Several aliases of one person lead to one conversation; none of them is its key.
 */
export interface Alias {
  kind: 'phone' | 'user' | 'parent' | 'group';
  value: string;
}

export interface Person {
  aliases: Alias[];
  name: string | null;
}

/** The chat an event belongs to: one person's, or a group's (whose sender is still a person). */
export interface ChatRef {
  /** Set in groups only. */
  groupId: string | null;
  /** A topic inside the chat, null where the channel has none. */
  threadId: string | null;
  sender: Person;
}

export const SPEECH_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'button',
  'order',
] as const;
export type SpeechType = (typeof SPEECH_TYPES)[number];

export interface MediaRef {
  id: string | null;
  mimeType: string | null;
  filename: string | null;
  url: string | null;
}

/** What a person said. `text` is readable by a model and a person alike, also where the original was not text. */
export interface Speech {
  type: SpeechType;
  text: string;
  media: MediaRef | null;
  /** The rest of the original worth keeping: coordinates, product items, the id of a tapped button. */
  details: JsonObject | null;
}

export type StatusName = 'sent' | 'delivered' | 'read' | 'failed';

export type ParsedEvent =
  | { kind: 'message'; chat: ChatRef; speech: Speech; replyTo: string | null }
  | { kind: 'edit'; chat: ChatRef; targetId: string; speech: Speech }
  | { kind: 'deletion'; chat: ChatRef; targetId: string }
  | { kind: 'reaction'; chat: ChatRef; targetId: string; emoji: string | null }
  /** A message whose content the channel does not hand over (polls, view-once media, ...). */
  | { kind: 'unsupported'; chat: ChatRef; what: string; error: ChannelError | null }
  /** `status` null: a value we do not use (played), kept for the timeline. */
  | {
      kind: 'status';
      status: StatusName | null;
      name: string;
      providerId: string;
      tracker: string | null;
      recipient: string | null;
      error: ChannelError | null;
    }
  /** The business itself wrote, from its own phone or page: a person is answering. */
  | { kind: 'echo'; chat: ChatRef; speech: Speech }
  /** The channel speaks about a person: a changed number, a rotated id. */
  | { kind: 'system'; chat: ChatRef; what: string; text: string; replaces: Alias[] }
  /** The channel speaks about the account or its settings. Nothing for a turn. */
  | { kind: 'notice'; what: string; text: string }
  | { kind: 'unreadable'; why: string };

export type EventKind = ParsedEvent['kind'];

/** One event of a webhook, ready to be stored. */
export interface ParsedItem {
  /** phone_number_id, page id or bot id that the item names; null when it cannot be read. */
  accountExternalId: string | null;
  /** Unique per account: a repeated delivery has the same one. */
  externalId: string;
  /** Provider time in epoch ms, null when the item has none. */
  providerAt: number | null;
  event: ParsedEvent;
  /** The item as it came, as JSON text (base64 of the bytes when `rawIsBase64`). */
  raw: string;
  rawIsBase64: boolean;
  /** SHA-256 hex of the canonical item without media URLs: tells a true copy from a changed one. */
  contentHash: string;
}
