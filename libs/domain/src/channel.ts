/**
 * What a channel driver (libs/channels) offers the apps, in words that are the same for every channel.
 * A driver speaks one provider's HTTP protocol; it decides nothing about batches, turns or parts.
 */
import type { ParsedItem } from './inbound.js';

export type Channel = 'whatsapp' | 'messenger' | 'telegram';

/** One identity of a business on one channel, with what is needed to speak for it. */
export interface ChannelAccount {
  /** `whatsapp:<phone_number_id>`; the key that events are stored under. */
  key: string;
  channel: Channel;
  /** The provider's own name for it: phone_number_id, page id, bot id. */
  externalId: string;
  accessToken: string;
  /** Any of them may sign a webhook: that is how a secret is rotated. */
  appSecrets: string[];
  verifyToken: string | null;
  apiUrl: string;
  apiVersion: string;
}

/** Where a reply goes. `person` prefers the phone and falls back to the business-scoped id. */
export type ReplyAddress =
  { kind: 'person'; phone: string | null; userId: string | null } | { kind: 'group'; id: string };

export interface ChannelError {
  /** The provider's code, or `timeout`, `reset`, `http-503` when there was no error body. */
  code: string;
  message: string;
}

/** What came of one POST of a part. Every case is an answer; only bugs throw. */
export type SendResult =
  | { kind: 'accepted'; providerId: string }
  /** Refused for now. `scope` says what has to wait; `afterMs` null means our own backoff. */
  | { kind: 'retry'; scope: 'part' | 'person' | 'account'; afterMs: number | null; error: ChannelError }
  | { kind: 'failed'; error: ChannelError }
  | { kind: 'window-closed'; error: ChannelError }
  | { kind: 'channel-paused'; error: ChannelError }
  /** The bytes left and no trustworthy answer came back: the channel may or may not have it. */
  | { kind: 'unknown'; error: ChannelError };

export interface OutgoingPart {
  to: ReplyAddress;
  /** The thread of the chat that is answered, in the provider's words; null: the chat has none. */
  threadId: string | null;
  text: string;
  /** Comes back in the statuses of this message, and so proves that a lost answer was an acceptance. */
  tracker: string;
}

export interface ChannelLimits {
  /** Longest text of one part, in UTF-16 units. */
  partLength: number;
  /** Typing fades by itself after about this long, in ms. */
  typingMs: number;
  /** How long after the person's last message free-form replies are allowed, in ms; null: always. */
  serviceWindowMs: number | null;
}

export interface ChannelDriver {
  readonly channel: Channel;
  readonly limits: ChannelLimits;
  /**
   * Splits one webhook body into its events. Never throws: what cannot be read becomes an item of kind `unreadable`.
   */
  parse(body: Uint8Array): ParsedItem[];
  /** Sends one part, once. `timeoutMs` bounds the whole exchange. */
  send(account: ChannelAccount, part: OutgoingPart, timeoutMs: number): Promise<SendResult>;
  /** Marks a message (and all before it) as read, with the typing indicator when asked. Best effort: false when refused. */
  markRead(account: ChannelAccount, messageId: string, typing: boolean, timeoutMs: number): Promise<boolean>;
}
