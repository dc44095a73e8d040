/** Bodies as the bytes that were signed. */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Every body arrives as a Buffer, whatever its content type; larger than `limit` bytes is answered with 413.
 * Parsing is the service's own business: Nest's rawBody answers 400 and 415 to bodies that must be stored.
 */
export function keepRawBodies(app: NestFastifyApplication, limit: number): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeAllContentTypeParsers();
  // Fastify refuses a content type that is not well formed with 415 before any parser; the signature is what counts.
  fastify.addHook('onRequest', (request, _reply, done) => {
    request.headers['content-type'] = 'application/octet-stream';
    done();
  });
  fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: limit }, (_request, body, done) =>
    done(null, body),
  );
}
