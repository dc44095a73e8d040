import type { ParsedEvent, ParsedItem } from '#domain';
import { canonicalJson, jsonText, type SkipKey } from './canonical-json.js';
import type { ContactBook } from './contact-book.js';
import { safeId, sha256 } from './safe-text.js';

/** What an item inherits from the change that carried it. */
export interface Envelope {
  field: string | null;
  accountExternalId: string | null;
  metadata: unknown;
  /** `entry.time`, as it came: keeps two equal notices without an id of their own apart. */
  time: unknown;
  contacts: ContactBook;
  /** The value-level `errors[]`: the reason why a message beside it has no body. */
  errors: unknown;
}

export interface ItemSource {
  /** The key that the item has in the raw record: `message`, `status`, `error`, ... */
  as: string;
  value: unknown;
  contact?: unknown;
  errors?: unknown;
}

const MEDIA = new Set(['image', 'video', 'audio', 'document', 'sticker']);
const EXPIRING_LINKS = new Set(['image_url', 'video_url', 'thumbnail_url']);

// These links are made anew for each delivery, so a true copy of a message can differ in them.
const skipMediaUrls: SkipKey = (key, under) =>
  (key === 'url' && MEDIA.has(under)) || (under === 'referral' && EXPIRING_LINKS.has(key));

/** Completes an event to a storable item. `id` null: the item has none, and its content's hash stands in for it. */
export function makeItem(
  envelope: Envelope,
  source: ItemSource,
  id: string | null,
  providerAt: number | null,
  event: ParsedEvent,
): ParsedItem {
  const { field, metadata, time } = envelope;
  const { as, value, contact, errors } = source;
  const contentHash = sha256(canonicalJson({ field, item: value }, skipMediaUrls));
  return {
    accountExternalId: envelope.accountExternalId,
    externalId: id === null ? `sha256:${standIn(contentHash, time)}` : safeId(id),
    providerAt,
    event,
    raw: jsonText({
      field,
      metadata,
      ...(contact == null ? {} : { contact }),
      ...(errors == null ? {} : { errors }),
      [as]: value,
    }),
    rawIsBase64: false,
    contentHash,
  };
}

export function unreadable(why: string): ParsedEvent {
  return { kind: 'unreadable', why };
}

function standIn(contentHash: string, time: unknown): string {
  return typeof time === 'number' || typeof time === 'string' ? sha256(`${contentHash}:${time}`) : contentHash;
}
