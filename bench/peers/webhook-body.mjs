/** What every peer does first: the exact bytes, their signature, the JSON in them. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Bodies stay bytes, because bytes are what was signed. */
export function keepRawBodies(fastify) {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4 * 1024 * 1024 }, (_request, body, done) =>
    done(null, body),
  );
}

/** The parsed body, or null when the header is not its signature. */
export function readSigned(body, header, secret) {
  const given = Buffer.from(String(header).replace(/^sha256=/, ''), 'hex');
  const expected = createHmac('sha256', secret).update(body).digest();
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return JSON.parse(body.toString());
}

/** All messages of a webhook. */
export function messagesOf(webhook) {
  return webhook.entry.flatMap((entry) => entry.changes.flatMap((change) => change.value.messages ?? []));
}

/** A peer must not outlive the benchmark. */
export function endWithParent() {
  process.on('disconnect', () => process.exit());
}
