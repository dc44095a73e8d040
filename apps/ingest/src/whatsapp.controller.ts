/** The subscription handshake of WhatsApp's webhook. Source: Meta, webhooks, getting started. */
import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Env } from '#process';
import { VerifyToken } from './verify-token.js';

@Controller('webhooks/whatsapp')
export class WhatsAppController {
  constructor(
    @Inject(Env) private readonly env: Env,
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
}
