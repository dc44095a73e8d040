/** One POST to the account's `/messages`, sent once: no redirect is followed and nothing is tried again. */
import type { ChannelAccount, JsonObject } from '#domain';
import { asBag, asText } from './read.js';

export type Exchange =
  /** An answer came back; `body` is its text. */
  | { kind: 'answer'; status: number; body: string; retryAfter: string | null }
  /** No connection was made, so nothing can have arrived. */
  | { kind: 'not-sent'; code: string; message: string }
  /** The address or the token cannot even be written into a request. */
  | { kind: 'unusable'; message: string }
  /** The bytes may have left, and no answer came back. */
  | { kind: 'no-answer'; code: string; message: string };

/** `timeoutMs` bounds the whole exchange, the body of the answer included. Never rejects. */
export async function postMessages(account: ChannelAccount, body: JsonObject, timeoutMs: number): Promise<Exchange> {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  let url: URL;
  let headers: Headers;
  try {
    url = messagesUrl(account);
    headers = new Headers({
      authorization: `Bearer ${account.accessToken}`,
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    });
  } catch {
    // The error's own text may quote the header, and with it the token.
    return { kind: 'unusable', message: 'the API address or the access token is not usable' };
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: readOnce(bytes),
      duplex: 'half',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return { kind: 'answer', status: response.status, body: text, retryAfter: response.headers.get('retry-after') };
  } catch (error) {
    return failedExchange(error, timeoutMs);
  }
}

/** A body that can be read once: fetch repeats a POST by itself after a 421 when it still has the bytes. */
function readOnce(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function messagesUrl(account: ChannelAccount): URL {
  const path = [account.apiVersion, account.externalId, 'messages'].map(encodeURIComponent).join('/');
  const url = new URL(`${account.apiUrl.replace(/\/+$/, '')}/${path}`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError(`not an HTTP address: ${url.protocol}`);
  return url;
}

function failedExchange(error: unknown, timeoutMs: number): Exchange {
  if (asBag(error)?.name === 'TimeoutError') {
    return { kind: 'no-answer', code: 'timeout', message: `no answer within ${timeoutMs} ms` };
  }
  // fetch wraps the socket's error; with several addresses tried, that is an AggregateError with the same code.
  const cause = asBag(asBag(error)?.cause) ?? asBag(error) ?? {};
  const code = asText(cause.code) ?? 'network';
  const message = asText(cause.message) ?? '';
  if (neverConnected(code, asText(cause.syscall))) return { kind: 'not-sent', code, message };
  return { kind: 'no-answer', code: RESETS.has(code) ? 'reset' : code, message };
}

const RESETS = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const NO_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const BAD_CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** A certificate is judged before the request is written, so a refused one proves that nothing left. */
function neverConnected(code: string, syscall: string | null): boolean {
  return NO_CONNECTION.has(code) || syscall === 'connect' || syscall === 'getaddrinfo' || BAD_CERTIFICATE.test(code);
}
