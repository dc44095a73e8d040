import type { Json } from '#domain';

const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * The value as JSON that Postgres accepts. jsonb refuses NUL characters and lone surrogates, and a model that once
 * produced one would otherwise fail every attempt at its journal entry. What JSON cannot express is left out.
 */
export function storableJson(value: unknown): Json {
  if (value === undefined) return null;
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : clean(JSON.parse(text) as Json);
}

/** Text without NUL characters, lone surrogates replaced. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').replace(LONE_SURROGATE, '\uFFFD');
}

function clean(value: Json): Json {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), clean(inner)]));
}
