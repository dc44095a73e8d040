import { createHmac } from 'node:crypto';

/**
 * JSON as Meta writes it on the wire: non-ASCII as lower-case \uXXXX and `/` as `\/`. A receiver that hashes a
 * re-serialised body instead of the received bytes fails against it, as it does against Meta.
 */
export function toMetaJson(value: unknown): Buffer {
  const text = JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(text, 'latin1');
}

/** Value of X-Hub-Signature-256: HMAC-SHA256 of the exact body bytes with the app secret, lower-case hex. */
export function signBody(appSecret: string, body: Buffer): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
}
