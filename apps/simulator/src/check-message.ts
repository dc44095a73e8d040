import { checkContent, SENDABLE_TYPES } from './check-content.js';
import type { Refusal } from './graph-error.js';
import { badParameter, checkKeys, checkLength, isObject, type JsonObject } from './json-fields.js';

/** A send that keeps to the rules of form. */
export interface SendRequest {
  /** The recipient as named; `to` wins over `recipient`. */
  input: string;
  group: boolean;
  type: string;
  text: string;
  /** Answers inside a topic of the chat. WhatsApp has none today: for trying lock scopes. */
  thread: string | undefined;
  tracker: string | undefined;
}

const KEYS = [
  'messaging_product',
  'recipient_type',
  'to',
  'recipient',
  'type',
  'context',
  'biz_opaque_callback_data',
  'recipient_identity_key_hash',
  'thread_id',
  ...SENDABLE_TYPES,
];
const TRACKER_MAX = 512;

/** Reads a send; a refusal when the real API would refuse its form (facts B1, code 100). */
export function checkMessage(body: JsonObject): { request: SendRequest } | { refusal: Refusal } {
  const type = body['type'] ?? 'text';
  const refusal =
    checkKeys('message', body, KEYS) ??
    checkProduct(body) ??
    checkRecipient(body) ??
    checkStrings(body) ??
    (typeof type === 'string' && (SENDABLE_TYPES as readonly string[]).includes(type)
      ? checkContent(type, body)
      : badParameter(`Param type must be one of {${SENDABLE_TYPES.join(', ').toUpperCase()}}.`));
  if (refusal) return { refusal };
  const tracker = body['biz_opaque_callback_data'];
  const thread = body['thread_id'];
  return {
    request: {
      input: recipientOf(body) ?? '',
      group: body['recipient_type'] === 'group',
      type: String(type),
      text: textOf(body),
      thread: typeof thread === 'string' ? thread : undefined,
      tracker: typeof tracker === 'string' ? tracker : undefined,
    },
  };
}

/** The recipient of a send that may be malformed. */
export function recipientOf(body: JsonObject): string | undefined {
  const named = body['to'] ?? body['recipient'];
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/** What the person reads: text, caption, or the type in brackets. */
export function textOf(body: JsonObject): string {
  const type = typeof body['type'] === 'string' ? body['type'] : 'text';
  const content = body[type];
  if (!isObject(content)) return `[${type}]`;
  const text = content['body'] ?? content['caption'] ?? content['emoji'];
  if (typeof text === 'string') return text;
  return isObject(text) && typeof text['text'] === 'string' ? text['text'] : `[${type}]`;
}

/** `messaging_product` must say whatsapp on every call. */
export function checkProduct(body: JsonObject): Refusal | undefined {
  if (body['messaging_product'] === undefined) return badParameter('The parameter messaging_product is required.');
  if (body['messaging_product'] === 'whatsapp') return undefined;
  return badParameter('Param messaging_product must be one of {WHATSAPP}.');
}

function checkRecipient(body: JsonObject): Refusal | undefined {
  const kind = body['recipient_type'];
  if (kind !== undefined && kind !== 'individual' && kind !== 'group') {
    return badParameter('Param recipient_type must be one of {INDIVIDUAL, GROUP}.');
  }
  for (const key of ['to', 'recipient']) {
    if (body[key] !== undefined && typeof body[key] !== 'string') return badParameter(`Param ${key} must be a string.`);
  }
  const input = recipientOf(body);
  if (input === undefined) return badParameter('The parameter to is required.');
  if (kind !== 'group' && typeof body['to'] === 'string' && !/^\+?[\d ()-]{5,25}$/.test(input)) {
    return { code: 131009, details: 'Parameter value is not valid: to is not a phone number.' };
  }
  return undefined;
}

function checkStrings(body: JsonObject): Refusal | undefined {
  for (const key of ['biz_opaque_callback_data', 'recipient_identity_key_hash', 'thread_id']) {
    if (body[key] !== undefined && typeof body[key] !== 'string') return badParameter(`Param ${key} must be a string.`);
  }
  const context = body['context'];
  return (
    checkLength('biz_opaque_callback_data', body['biz_opaque_callback_data'], TRACKER_MAX) ??
    (context === undefined ? undefined : checkKeys('context', context, ['message_id'], ['message_id']))
  );
}
