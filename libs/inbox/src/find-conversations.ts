/** Finds or creates the conversation of each chat event: by any alias, never by a phone as key. */
import type { Alias, ChatRef } from '#domain';
import { randomUUID } from 'node:crypto';
import type { Tx } from './database.js';

export interface ChatOfEvent {
  accountId: string;
  chat: ChatRef;
  /** Older names of the same person that the event itself tells us of. */
  formerly: Alias[];
}

export interface FoundConversations {
  /** Conversation id of each chat, in the order given. */
  ids: string[];
  /** Conversations that turned out to be one: the survivor and the one that ends. */
  merges: { survivor: string; ended: string }[];
  /** Names to write once the conversations are locked: in the other order two batchers would deadlock. */
  names: NewName[];
}

export interface NewName {
  accountId: string;
  alias: Alias;
  id: string;
}

type Key = string;
const keyOf = (accountId: string, alias: Alias): Key => `${accountId}\n${alias.kind}\n${alias.value}`;

/** What identifies the chat: a group by its id, a person by every name we have. */
export function aliasesOf({ chat, formerly }: ChatOfEvent): Alias[] {
  return chat.groupId === null ? [...chat.sender.aliases, ...formerly] : [{ kind: 'group', value: chat.groupId }];
}

export async function findConversations(tx: Tx, chats: ChatOfEvent[]): Promise<FoundConversations> {
  let known = await lookUp(tx, chats);
  const strangers = chats.filter((chat) => aliasesOf(chat).some((alias) => !known.has(keyOf(chat.accountId, alias))));
  if (strangers.length > 0) {
    // New names are given out one batcher at a time, or two would create the same person twice.
    const accounts = [...new Set(strangers.map((chat) => chat.accountId))].map(Number).sort((a, b) => a - b);
    for (const account of accounts) await tx.$executeRaw`SELECT pg_advisory_xact_lock(20261, ${account}::int)`;
    known = await lookUp(tx, chats);
  }
  return assign(tx, chats, known);
}

async function lookUp(tx: Tx, chats: ChatOfEvent[]): Promise<Map<Key, string>> {
  const names = chats.flatMap((chat) => aliasesOf(chat).map((alias) => ({ accountId: chat.accountId, ...alias })));
  if (names.length === 0) return new Map();
  const rows = await tx.$queryRaw<{ accountId: string; kind: Alias['kind']; value: string; id: string }[]>`
    SELECT account_id::text AS "accountId", kind, value, conversation_id::text AS id
    FROM contact_alias JOIN unnest(${names.map((n) => n.accountId)}::bigint[], ${names.map((n) => n.kind)}::text[],
      ${names.map((n) => n.value)}::text[]) AS name (account_id, kind, value) USING (account_id, kind, value)`;
  return new Map(rows.map((row) => [keyOf(row.accountId, row), row.id]));
}

async function assign(tx: Tx, chats: ChatOfEvent[], known: Map<Key, string>): Promise<FoundConversations> {
  const merges: FoundConversations['merges'] = [];
  const created: { id: string; chat: ChatOfEvent }[] = [];
  const strangers = chats.filter((chat) => aliasesOf(chat).every((alias) => !known.has(keyOf(chat.accountId, alias))));
  const fresh = await reserveIds(tx, strangers.length);
  const names = new Map<Key, { accountId: string; alias: Alias }>();
  const ids: string[] = [];
  for (const chat of chats) {
    const aliases = aliasesOf(chat);
    const found = [
      ...new Set(aliases.map((alias) => known.get(keyOf(chat.accountId, alias))).filter((id) => id !== undefined)),
    ];
    found.sort((a, b) => Number(a) - Number(b));
    const id = found[0] ?? (fresh.pop() as string);
    if (found.length === 0) created.push({ id, chat });
    for (const ended of found.slice(1)) {
      merges.push({ survivor: id, ended });
      for (const [key, owner] of known) if (owner === ended) known.set(key, id);
    }
    for (const alias of aliases) {
      const key = keyOf(chat.accountId, alias);
      if (known.get(key) !== id) names.set(key, { accountId: chat.accountId, alias });
      known.set(key, id);
    }
    ids.push(id);
  }
  // A chat seen early may have lost its conversation to a merge that a later one revealed.
  const survivors = new Map(merges.map((merge) => [merge.ended, merge.survivor]));
  const final = ids.map((id) => follow(survivors, id));
  await createConversations(tx, created);
  return {
    ids: final,
    merges,
    names: [...names].map(([key, name]) => ({ ...name, id: follow(survivors, known.get(key) as string) })),
  };
}

function follow(survivors: Map<string, string>, id: string): string {
  let at = id;
  for (let next = survivors.get(at); next !== undefined; next = survivors.get(at)) at = next;
  return at;
}

async function reserveIds(tx: Tx, count: number): Promise<string[]> {
  if (count === 0) return [];
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT nextval('conversation_id_seq')::text AS id FROM generate_series(1, ${count}::int)`;
  return rows.map((row) => row.id).reverse();
}

async function createConversations(tx: Tx, created: { id: string; chat: ChatOfEvent }[]): Promise<void> {
  if (created.length === 0) return;
  const groups = created.map(({ chat }) => chat.chat.groupId);
  await tx.$executeRaw`
    INSERT INTO conversation (id, account_id, lock_key, group_id)
    SELECT * FROM unnest(${created.map((row) => row.id)}::bigint[], ${created.map((row) => row.chat.accountId)}::bigint[],
      ${groups.map((id) => (id === null ? `person:${randomUUID()}` : `group:${id}`))}::text[], ${groups}::text[])`;
}

export async function writeAliases(tx: Tx, names: NewName[]): Promise<void> {
  if (names.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO contact_alias (account_id, kind, value, conversation_id)
    SELECT * FROM unnest(${names.map((n) => n.accountId)}::bigint[], ${names.map((n) => n.alias.kind)}::text[],
      ${names.map((n) => n.alias.value)}::text[], ${names.map((n) => n.id)}::bigint[])
    ON CONFLICT (account_id, kind, value) DO UPDATE SET conversation_id = excluded.conversation_id`;
}
