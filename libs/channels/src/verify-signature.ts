import { createHmac, timingSafeEqual } from 'node:crypto';

const HEADER = /^sha256=([0-9a-f]{64})$/i;

/**
 * Finds the app secret that signed a webhook, from the exact bytes of the body and the header
 * `X-Hub-Signature-256: sha256=<hex>` (Meta, "Getting started with webhooks"). Null when none did, or when the header
 * is missing or malformed. Never throws.
 */
export function verifySignature(
  body: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
): string | null {
  const hex = HEADER.exec(header ?? '')?.[1];
  if (hex === undefined) return null;
  const given = Buffer.from(hex, 'hex');
  let match: string | null = null;
  // No early exit: the time must not tell which secret matched, nor how many there are before it.
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(body).digest();
    const equal = timingSafeEqual(expected, given);
    // Anyone can sign with an empty key, so a forgotten secret must never count.
    if (equal && secret !== '') match ??= secret;
  }
  return match;
}
