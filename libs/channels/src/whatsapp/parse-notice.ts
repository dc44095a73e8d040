/** What the channel says about the account, its settings or its limits. Nothing for a turn, kept for the timeline. */
import type { ParsedItem } from '#domain';
import { type Envelope, makeItem } from './item.js';
import { asBag, asText, asTime, type Bag } from './read.js';
import { readError } from './read-error.js';

/** A value-level error: trouble of the system, app or account, without a message of its own. */
export function parseErrorNotice(value: unknown, envelope: Envelope): ParsedItem {
  const error = readError(value);
  const what = `error:${error?.code ?? 'unknown'}`;
  return makeItem(envelope, { as: 'error', value }, null, null, { kind: 'notice', what, text: error?.message ?? '' });
}

/** The person asked to stop or resume marketing. */
export function parsePreference(value: unknown, envelope: Envelope): ParsedItem {
  const bag = asBag(value) ?? {};
  const text = [asText(bag.category), asText(bag.value), asText(bag.detail)].filter((word) => word !== null).join(', ');
  return makeItem(envelope, { as: 'preference', value }, null, asTime(bag.timestamp), {
    kind: 'notice',
    what: 'user_preferences',
    text,
  });
}

const TELLING = [
  'event',
  'message_template_name',
  'reason',
  'decision',
  'display_phone_number',
  'current_limit',
] as const;

/** A whole change that no other reader takes: templates, quality, calls, history, fields that are new to us. */
export function parseChangeNotice(value: Bag, envelope: Envelope): ParsedItem {
  const text = TELLING.map((key) => asText(value[key]))
    .filter((word) => word !== null)
    .join(', ');
  return makeItem(envelope, { as: 'value', value }, null, asTime(value.timestamp), {
    kind: 'notice',
    what: envelope.field ?? 'unknown',
    text,
  });
}
