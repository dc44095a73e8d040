/** The WhatsApp webhook: the subscription handshake and the events. Source: Meta, webhooks, getting started. */
import { Controller, Get, Headers, Inject, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Env } from '#process';
import { ReceiveEvents } from './receive-events.js';
import { VerifyToken } from './verify-token.js';

/** What the channel is told while we cannot store, s. */
const RETRY_AFTER_S = 5;

@Controller('webhooks/whatsapp')
export class WhatsAppController {
  constructor(
    @Inject(Env) private readonly env: Env,
    private readonly events: ReceiveEvents,
    private readonly verifyToken: VerifyToken,
  ) {}

  /** 200 with the bare challenge when mode and token are right, else 403. */
  @Get()
  subscribe(@Query() query: Record<string, unknown>, @Res() reply: FastifyReply): void {
    const challenge = query['hub.challenge'];
    const right =
      query['hub.mode'] === 'subscribe' &&
      typeof challenge === 'string' &&
      this.verifyToken.matches('whatsapp', this.env.WHATSAPP_VERIFY_TOKEN, query['hub.verify_token']);
    if (right) void reply.code(200).type('text/plain').send(challenge);
    else void reply.code(403).send({ error: 'the verify token is not ours, or hub.mode is not subscribe' });
  }

  /** 200 once everything is stored (or was stored before), 403 for a wrong signature, 503 when it cannot be stored now. */
  @Post()
  async receive(
    @Req() request: FastifyRequest,
    @Headers('x-hub-signature-256') signature: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    switch (await this.events.whatsapp(body, signature)) {
      case 'stored':
        return void reply.code(200).send('');
      case 'forbidden':
        return void reply.code(403).send({ error: 'x-hub-signature-256 is missing or does not match the body' });
      case 'unavailable':
        return void reply
          .code(503)
          .header('retry-after', RETRY_AFTER_S)
          .send({ error: 'cannot store now, send it again' });
    }
  }
}
