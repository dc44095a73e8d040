/** A webhook body, split into its entries and changes. Whatever is broken spoils only itself. */
import type { ParsedItem } from '#domain';
import { contactBook } from './contact-book.js';
import { type Envelope, makeItem, unreadable } from './item.js';
import { parseChange } from './parse-change.js';
import { asBag, asId, asText, type Bag, pickDetails } from './read.js';
import { sha256 } from './safe-text.js';

/** Drops a byte order mark, and puts U+FFFD where the bytes are no UTF-8. */
const utf8 = new TextDecoder();

/** Never throws. A body that is no JSON object becomes one unreadable item that keeps the bytes. */
export function parseBody(body: Uint8Array): ParsedItem[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(utf8.decode(body));
  } catch {
    return [unreadableBody(body, 'the body is not JSON')];
  }
  const entries = asBag(parsed)?.entry;
  if (!Array.isArray(entries)) return [unreadableBody(body, 'the body has no list of entries')];
  try {
    const items = entries.flatMap(parseEntry);
    return items.length > 0 ? items : [makeItem(emptyEnvelope(null), { as: 'body', value: parsed }, null, null, EMPTY)];
  } catch (error) {
    return [unreadableBody(body, `the body could not be read: ${String(error)}`)];
  }
}

const EMPTY = { kind: 'notice', what: 'empty', text: 'a webhook without events' } as const;

function parseEntry(entry: unknown): ParsedItem[] {
  const bag = asBag(entry);
  if (bag === null || !Array.isArray(bag.changes)) {
    return [
      makeItem(emptyEnvelope(bag), { as: 'entry', value: entry }, null, null, unreadable('entry without changes')),
    ];
  }
  return bag.changes.flatMap((change) => parseChangeOf(bag, change));
}

function parseChangeOf(entry: Bag, change: unknown): ParsedItem[] {
  const value = asBag(asBag(change)?.value);
  if (value === null) {
    return [
      makeItem(emptyEnvelope(entry), { as: 'change', value: change }, null, null, unreadable('change without value')),
    ];
  }
  const metadata = asBag(value.metadata);
  const envelope: Envelope = {
    field: asText(asBag(change)?.field),
    accountExternalId: asId(metadata?.phone_number_id),
    metadata: metadata === null ? null : pickDetails(metadata, ['display_phone_number', 'phone_number_id']),
    time: entry.time,
    contacts: contactBook(value.contacts),
    errors: value.errors,
  };
  return parseChange(value, envelope);
}

function emptyEnvelope(entry: Bag | null): Envelope {
  return {
    field: null,
    accountExternalId: null,
    metadata: null,
    time: entry?.time,
    contacts: contactBook(null),
    errors: null,
  };
}

function unreadableBody(body: Uint8Array, why: string): ParsedItem {
  const hash = sha256(body);
  return {
    accountExternalId: null,
    externalId: hash,
    providerAt: null,
    event: unreadable(why),
    raw: Buffer.from(body).toString('base64'),
    rawIsBase64: true,
    contentHash: hash,
  };
}
