/** Events as ingest hands them over, in few words. Every builder's event is new unless `externalId` says otherwise. */
import type { Alias, ChannelError, ChatRef, ParsedEvent, Speech, StatusName } from '#domain';
import type { NewEvent } from '../src/store-events.js';

/** The first account of a kit; its rows are made in this order, so the ids are known. */
export const OURS = { accountKey: 'whatsapp:1', accountId: '1' };
export const OTHERS = { accountKey: 'whatsapp:2', accountId: '2' };

export interface From {
  phone?: string;
  user?: string;
  parent?: string;
  group?: string;
  thread?: string;
  name?: string;
}

let count = 0;

export function event(parsed: ParsedEvent, more: Partial<NewEvent> = {}): NewEvent {
  const externalId = more.externalId ?? `e${String(++count).padStart(6, '0')}`;
  const raw = JSON.stringify({ externalId, parsed });
  return {
    ...OURS,
    externalId,
    kind: parsed.kind,
    // No time of its own: said when it arrived, whatever the clock of the database is.
    providerAt: null,
    contentHash: `hash of ${raw}`,
    raw,
    rawIsBase64: false,
    parsed: JSON.stringify(parsed),
    ignored: null,
    ...more,
  };
}

export function chat(from: From): ChatRef {
  const aliases: Alias[] = [];
  if (from.phone) aliases.push({ kind: 'phone', value: from.phone });
  if (from.user) aliases.push({ kind: 'user', value: from.user });
  if (from.parent) aliases.push({ kind: 'parent', value: from.parent });
  return {
    groupId: from.group ?? null,
    threadId: from.thread ?? null,
    sender: { aliases, name: from.name ?? null },
  };
}

export const speech = (text: string): Speech => ({ type: 'text', text, media: null, details: null });

export const message = (text: string, from: From, more: Partial<NewEvent> = {}): NewEvent =>
  event({ kind: 'message', chat: chat(from), speech: speech(text), replyTo: null }, more);

export const echo = (text: string, from: From): NewEvent =>
  event({ kind: 'echo', chat: chat(from), speech: speech(text) });

/** Makes a person known without anything to answer. */
export const reaction = (from: From): NewEvent =>
  event({ kind: 'reaction', chat: chat(from), targetId: 'm', emoji: '👍' });

export const system = (from: From, replaces: Alias[]): NewEvent =>
  event({ kind: 'system', chat: chat(from), what: 'user_changed_number', text: 'changed the number', replaces });

export interface StatusOf {
  providerId: string;
  tracker?: string;
  error?: ChannelError;
}

export const status = (name: StatusName, of: StatusOf, more: Partial<NewEvent> = {}): NewEvent =>
  event(
    {
      kind: 'status',
      status: name,
      name,
      providerId: of.providerId,
      tracker: of.tracker ?? null,
      recipient: null,
      error: of.error ?? null,
    },
    more,
  );
