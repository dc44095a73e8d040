/**
 * The `contacts[]` of one change. One change can carry several senders, and their order promises nothing: a contact is
 * found by user id, then by phone, never by its place in the list.
 */
import { type Ids, readIds } from './identity.js';
import { asBag, asList, asText } from './read.js';

export interface Contact {
  ids: Ids;
  name: string | null;
  /** As it came, for the raw record; null when it is too large to be copied into every item that it belongs to. */
  source: unknown;
}

export interface ContactBook {
  find(ids: Ids): Contact | null;
}

const LARGEST_SOURCE = 4096;

export function contactBook(list: unknown): ContactBook {
  const byUser = new Map<string, Contact>();
  const byPhone = new Map<string, Contact>();
  for (const entry of asList(list)) {
    const contact = readContact(entry);
    if (contact === null) continue;
    addOnce(byUser, contact.ids.user, contact);
    addOnce(byPhone, contact.ids.phone, contact);
  }
  return {
    find: (ids) => lookUp(byUser, ids.user) ?? lookUp(byPhone, ids.phone),
  };
}

function readContact(entry: unknown): Contact | null {
  const bag = asBag(entry);
  if (bag === null) return null;
  const text = safeStringify(bag);
  return {
    ids: readIds(bag.wa_id, bag.user_id, bag.parent_user_id),
    name: asText(asBag(bag.profile)?.name),
    source: text !== null && text.length <= LARGEST_SOURCE ? bag : null,
  };
}

function safeStringify(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

function addOnce(map: Map<string, Contact>, key: string | null, contact: Contact): void {
  if (key !== null && !map.has(key)) map.set(key, contact);
}

function lookUp(map: Map<string, Contact>, key: string | null): Contact | null {
  return key === null ? null : (map.get(key) ?? null);
}
