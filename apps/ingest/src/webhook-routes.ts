/**
 * The route that webhooks are posted to, on Fastify itself: what Nest puts around a handler is paid for every
 * webhook and buys nothing here (docs/decisions/0009).
 */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { ReceiveEvents, type Received } from './receive-events.js';

/** What the channel is told while we cannot store, s. */
const RETRY_AFTER_S = 5;

export function addWebhookRoutes(app: NestFastifyApplication): void {
  const events = app.get(ReceiveEvents);
  app
    .getHttpAdapter()
    .getInstance()
    .post('/webhooks/whatsapp', async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const signature = request.headers['x-hub-signature-256'];
      return answer(reply, await events.whatsapp(body, typeof signature === 'string' ? signature : undefined));
    });
}

/** 200 once everything is stored (or was stored before), 403 for a wrong signature, 503 when it cannot be stored now. */
function answer(reply: FastifyReply, received: Received): FastifyReply {
  switch (received) {
    case 'stored':
      return reply.code(200).send('');
    case 'forbidden':
      return reply.code(403).send({ error: 'x-hub-signature-256 is missing or does not match the body' });
    case 'unavailable':
      return reply.code(503).header('retry-after', RETRY_AFTER_S).send({ error: 'cannot store now, send it again' });
  }
}
