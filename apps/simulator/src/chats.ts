import { Injectable } from '@nestjs/common';

import { BoundedMap } from './bounded-map.js';
import { LiveFeed } from './live-feed.js';

export type Tick = 'accepted' | 'sent' | 'failed' | 'delivered' | 'read' | 'played';

/** One bubble. Outbound ones are accepted copies: two copies of one text are two entries. */
export interface ChatEntry {
  id: string;
  direction: 'in' | 'out';
  /** Epoch ms: provider time of an inbound message, acceptance of an outbound one. */
  at: number;
  type: string;
  text: string;
  /** The topic of the chat that it was written in, where there is one. */
  thread?: string;
  from?: string;
  /** Outbound: what the business was told last. Inbound: whether the business has read it. */
  tick?: Tick;
  read?: boolean;
  tracker?: string;
}

export interface Chat {
  account: string;
  key: string;
  entries: ChatEntry[];
  /** Highest provider time of an inbound message, epoch ms; a late redelivery never moves it back. */
  lastInboundAt: number;
  typingUntil: number;
}

const SERVICE_WINDOW_MS = 24 * 3600_000;
const TYPING_MS = 25_000;
const ENTRIES_PER_CHAT = 1000;
/** Order of statuses when several are known: failed is only overruled by proof of delivery. */
const RANK: Record<Tick, number> = { accepted: 0, sent: 1, failed: 2, delivered: 3, read: 4, played: 5 };

/** What each person (or group) and each business number see in their chat. */
@Injectable()
export class Chats {
  private readonly chats = new BoundedMap<Chat>(50_000);
  private readonly inbound = new BoundedMap<{ chat: Chat; entry: ChatEntry }>(200_000);

  constructor(private readonly live: LiveFeed) {}

  find(account: string, key: string): Chat | undefined {
    return this.chats.get(`${account}|${key}`);
  }

  all(account: string): Chat[] {
    return [...this.chats.values()].filter((chat) => chat.account === account);
  }

  findInbound(messageId: string): { chat: Chat; entry: ChatEntry } | undefined {
    return this.inbound.get(messageId);
  }

  /** The person wrote; the same id again changes nothing. */
  addInbound(account: string, key: string, entry: ChatEntry): void {
    if (this.inbound.has(entry.id)) return;
    const chat = this.open(account, key);
    chat.lastInboundAt = Math.max(chat.lastInboundAt, entry.at);
    this.inbound.set(entry.id, { chat, entry });
    this.add(chat, entry);
  }

  /** The business's message was accepted; it also ends the typing indicator. */
  addCopy(account: string, key: string, entry: ChatEntry): Chat {
    const chat = this.open(account, key);
    chat.typingUntil = 0;
    this.add(chat, entry);
    return chat;
  }

  /** Reading a message marks all earlier ones read. */
  markRead(chat: Chat, entry: ChatEntry): void {
    const ids: string[] = [];
    for (let i = chat.entries.indexOf(entry); i >= 0; i -= 1) {
      const earlier = chat.entries[i]!;
      if (earlier.direction === 'out') continue;
      if (earlier.read) break;
      earlier.read = true;
      ids.push(earlier.id);
    }
    if (ids.length > 0) this.live.publish({ type: 'read', account: chat.account, chat: chat.key, ids });
  }

  /** Shown until a message arrives or 25 s pass. */
  showTyping(chat: Chat, now: number): void {
    chat.typingUntil = now + TYPING_MS;
    this.live.publish({ type: 'typing', account: chat.account, chat: chat.key, untilMs: TYPING_MS });
  }

  /** A status was told to the business. */
  tick(chat: Chat, entry: ChatEntry, status: Tick): void {
    if (RANK[status] <= RANK[entry.tick ?? 'accepted']) return;
    entry.tick = status;
    this.live.publish({ type: 'status', account: chat.account, chat: chat.key, id: entry.id, status });
  }

  /** Whether free text is allowed at `now` (epoch ms): under 24 h since the last inbound message's own time. */
  serviceWindowOpen(account: string, key: string, now: number): boolean {
    const chat = this.find(account, key);
    return chat !== undefined && now - chat.lastInboundAt < SERVICE_WINDOW_MS;
  }

  private open(account: string, key: string): Chat {
    let chat = this.find(account, key);
    if (!chat) {
      chat = { account, key, entries: [], lastInboundAt: Number.NEGATIVE_INFINITY, typingUntil: 0 };
      this.chats.set(`${account}|${key}`, chat);
    }
    return chat;
  }

  private add(chat: Chat, entry: ChatEntry): void {
    chat.entries.push(entry);
    if (chat.entries.length > ENTRIES_PER_CHAT) chat.entries.splice(0, ENTRIES_PER_CHAT / 10);
    this.live.publish({ type: 'entry', account: chat.account, chat: chat.key, entry });
  }
}
