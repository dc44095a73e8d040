import type { Refusal } from './graph-error.js';
import { badParameter, checkKeys, checkLength, isObject, type JsonObject } from './json-fields.js';

const TEXT_MAX = 4096;
const CAPTION_MAX = 1024;
const INTERACTIVE_BODY_MAX = 1024;
const MEDIA_KEYS: Readonly<Record<string, readonly string[]>> = {
  image: ['id', 'link', 'caption'],
  video: ['id', 'link', 'caption'],
  document: ['id', 'link', 'caption', 'filename'],
  audio: ['id', 'link', 'voice'],
  sticker: ['id', 'link'],
};

/** Types that may be sent; each names the field with its content. */
export const SENDABLE_TYPES = [
  'text',
  ...Object.keys(MEDIA_KEYS),
  'template',
  'interactive',
  'reaction',
  'location',
  'contacts',
] as const;

/** Refuses content that the Cloud API would not take (facts B1); deep checks stand only where oneturn sends. */
export function checkContent(type: string, body: JsonObject): Refusal | undefined {
  const content = body[type];
  if (content === undefined) return badParameter(`The parameter ${type} is required.`);
  if (type === 'text') return checkText(content);
  if (type in MEDIA_KEYS) return checkMedia(type, content);
  if (type === 'contacts') return Array.isArray(content) ? undefined : badParameter('Param contacts must be an array.');
  if (type === 'reaction') return checkKeys('reaction', content, ['message_id', 'emoji'], ['message_id']);
  if (type === 'template') {
    const refused = checkKeys('template', content, ['name', 'language', 'components', 'namespace'], ['name']);
    return (
      refused ?? checkKeys("template['language']", (content as JsonObject)['language'], ['code', 'policy'], ['code'])
    );
  }
  if (!isObject(content)) return badParameter(`Param ${type} must be an object.`);
  const inner = type === 'interactive' ? content['body'] : undefined;
  return isObject(inner) ? checkLength("interactive['body']['text']", inner['text'], INTERACTIVE_BODY_MAX) : undefined;
}

function checkText(content: unknown): Refusal | undefined {
  const refused = checkKeys('text', content, ['body', 'preview_url'], ['body']);
  if (refused) return refused;
  const { body, preview_url: preview } = content as { body: string; preview_url?: unknown };
  if (body.trim() === '') return badParameter("Param text['body'] must not be empty.");
  if (preview !== undefined && typeof preview !== 'boolean') {
    return badParameter("Param text['preview_url'] must be a boolean.");
  }
  return checkLength("text['body']", body, TEXT_MAX);
}

function checkMedia(type: string, content: unknown): Refusal | undefined {
  const refused = checkKeys(type, content, MEDIA_KEYS[type] ?? []);
  if (refused) return refused;
  const { id, link, caption } = content as JsonObject;
  if (typeof (id ?? link) !== 'string') return badParameter(`Param ${type} needs an id or a link.`);
  return checkLength(`${type}['caption']`, caption, CAPTION_MAX);
}
