/** Taps: on buttons, on list rows, on the quick replies of a template, and forms that were filled in. */
import { asBag, asText, type Bag, pickDetails } from './read.js';
import type { ReadContent } from './read-media.js';

/** A tap on a button of ours, a row of a list, or a form (a "flow") sent back. */
export const readInteractive: ReadContent = (message) => {
  const body = asBag(message.interactive);
  if (body === null) return null;
  const text = replyText(body);
  return text === null ? null : { text, media: null, details: pickDetails(body, Object.keys(body)) };
};

/** A tap on a quick reply of a template. Its text is what the person saw, its payload what we gave it. */
export const readButton: ReadContent = (message) => {
  const button = asBag(message.button);
  const text = asText(button?.text) ?? asText(button?.payload);
  if (button === null || text === null) return null;
  return { text, media: null, details: pickDetails(button, ['payload']) };
};

function replyText(body: Bag): string | null {
  const tapped = asBag(body.button_reply) ?? asBag(body.list_reply);
  if (tapped !== null) return tappedText(tapped);
  const form = asBag(body.nfm_reply);
  if (form !== null) return formText(form);
  const call = asBag(body.call_permission_reply);
  if (call !== null) return `[call permission: ${asText(call.response) ?? 'unknown'}]`;
  const type = asText(body.type);
  return type === null ? null : `[${type}]`;
}

function tappedText(tapped: Bag): string | null {
  const title = asText(tapped.title) ?? asText(tapped.id);
  const description = asText(tapped.description);
  return title === null || description === null ? title : `${title} (${description})`;
}

/** `response_json` is a text that holds JSON; it is passed on as it is, since only the form's author knows its fields. */
function formText(form: Bag): string {
  const name = asText(form.name);
  const parts = [name === null ? '[form]' : `[form: ${name}]`, asText(form.body), asText(form.response_json)];
  return parts.filter((part) => part !== null).join(' ');
}
