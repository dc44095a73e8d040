import type { ChannelError, SendResult } from '#domain';
import { type Verdict, verdictOn, verdictOnStatus } from './error-table.js';
import type { Exchange } from './post-messages.js';
import { asBag, asId, asList, asNumber, type Bag } from './read.js';
import { readError } from './read-error.js';

const LONGEST_RETRY_AFTER_MS = 60 * 60 * 1000;

/** What an exchange says about the message. Only an answer that names the message's id is an acceptance. */
export function classifyExchange(exchange: Exchange): SendResult {
  switch (exchange.kind) {
    case 'answer':
      return classifyAnswer(exchange.status, exchange.body, exchange.retryAfter);
    case 'not-sent':
      return { kind: 'retry', scope: 'part', afterMs: null, error: errorOf(exchange.code, exchange.message) };
    case 'unusable':
      return { kind: 'channel-paused', error: errorOf('unusable', exchange.message) };
    case 'no-answer':
      return { kind: 'unknown', error: errorOf(exchange.code, exchange.message) };
  }
}

function classifyAnswer(status: number, body: string, retryAfter: string | null): SendResult {
  const answer = parseAnswer(body);
  const errorBody = asBag(answer?.error);
  if (errorBody !== null) return classifyError(status, errorBody, retryAfter);
  if (status >= 200 && status < 300) {
    const providerId = asId(asBag(asList(answer?.messages)[0])?.id);
    if (providerId !== null) return { kind: 'accepted', providerId };
    return { kind: 'unknown', error: errorOf(`http-${status}`, 'the answer names no message id') };
  }
  return result(verdictOnStatus(status), errorOf(`http-${status}`, 'the answer has no error body'), retryAfter);
}

function classifyError(status: number, body: Bag, retryAfter: string | null): SendResult {
  const code = asNumber(body.code);
  const read = readError(body);
  const error = code === null || read === null ? errorOf(`http-${status}`, read?.message ?? '') : read;
  return result((code === null ? null : verdictOn(code)) ?? unlisted(status, body), error, retryAfter);
}

/** "Transient" promises that trying again can help, not that the message stayed behind. */
function unlisted(status: number, body: Bag): Verdict {
  const verdict = verdictOnStatus(status);
  return verdict.kind === 'failed' && body.is_transient === true ? { kind: 'unknown' } : verdict;
}

function result(verdict: Verdict, error: ChannelError, retryAfter: string | null): SendResult {
  if (verdict.kind !== 'retry') return { ...verdict, error };
  return { ...verdict, afterMs: retryAfterMs(retryAfter) ?? verdict.afterMs, error };
}

/** Meta documents no Retry-After; proxies send it, in seconds. */
function retryAfterMs(header: string | null): number | null {
  const seconds = asNumber(header);
  return seconds === null || seconds <= 0 ? null : Math.min(seconds * 1000, LONGEST_RETRY_AFTER_MS);
}

function parseAnswer(body: string): Bag | null {
  try {
    return asBag(JSON.parse(body));
  } catch {
    return null;
  }
}

function errorOf(code: string, message: string): ChannelError {
  return { code, message };
}
