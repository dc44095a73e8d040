import type { ChannelError } from '#domain';
import { asBag, asList, asText } from './read.js';

/** One entry of an `errors[]` list, or the `error` of an answer. Branch on its code, never on its words (Meta). */
export function readError(value: unknown): ChannelError | null {
  const error = asBag(value);
  if (error === null) return null;
  const words = [
    asText(error.title) ?? asText(error.message),
    asText(asBag(error.error_data)?.details),
    asText(error.error_user_msg),
  ];
  const message = [...new Set(words.filter((word) => word !== null))].join(': ').slice(0, 1000);
  // The cut can halve a pair of surrogates, which Postgres refuses.
  return { code: (asText(error.code) ?? 'unknown').slice(0, 64), message: message.replace(/\p{Cs}/gu, '') };
}

/** The first error of an `errors[]` list, null when there is none. */
export function firstError(list: unknown): ChannelError | null {
  return readError(asList(list)[0]);
}
