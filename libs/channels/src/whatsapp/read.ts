/**
 * Tolerant readers over whatever JSON.parse yields. A field that is not what it should be reads as null: a payload is
 * never refused for a field that nobody needs.
 */
import type { Json, JsonObject } from '#domain';
import { cleanText, safeId } from './safe-text.js';

export type Bag = Readonly<Record<string, unknown>>;

const DEEPEST_DETAIL = 24;

export function asBag(value: unknown): Bag | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Bag) : null;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A non-empty text, cleaned; numbers are accepted because ids and codes come as either. */
export function asText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? cleanText(value) : null;
}

/** A non-empty id, storable (see safeId). A number beyond 2^53 has lost digits on the way and is no id. */
export function asId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === 'string' && value !== '' ? safeId(value) : null;
}

export function asNumber(value: unknown): number | null {
  if (typeof value === 'string' && !/^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return null;
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/**
 * Provider time in epoch ms from whole seconds, which WhatsApp sends as a decimal string and some fields as a number.
 * Null for anything else. Values beyond the year 5000 are taken for milliseconds.
 */
export function asTime(value: unknown): number | null {
  const number = asNumber(value);
  if (number === null || number <= 0) return null;
  const ms = Math.floor(number > 1e11 ? number : number * 1000);
  return ms <= 8.64e15 ? ms : null;
}

/** A copy that Postgres accepts as jsonb: cleaned texts and keys, finite numbers, bounded depth. */
export function asDetail(value: unknown, depth = 0): Json {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean') return value;
  if (depth >= DEEPEST_DETAIL) return null;
  if (Array.isArray(value)) return value.map((one) => asDetail(one, depth + 1));
  const bag = asBag(value);
  return bag === null ? null : bagDetail(bag, depth + 1);
}

/** The given fields of a bag as details, absent ones left out; null when none is there. */
export function pickDetails(bag: Bag, keys: readonly string[]): JsonObject | null {
  const present = keys.filter((key) => Object.hasOwn(bag, key));
  // fromEntries defines properties; plain assignment of a key `__proto__` would swap the prototype.
  return present.length === 0 ? null : Object.fromEntries(present.map((key) => [key, asDetail(bag[key])]));
}

function bagDetail(bag: Bag, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(bag).map(([key, value]) => [cleanText(key), asDetail(value, depth)]));
}
