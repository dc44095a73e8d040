import { Controller, Headers, HttpException, Logger, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Answer } from './answer.js';
import { graphErrorAnswer } from './graph-error.js';
import { HandleCall } from './handle-call.js';
import { bodyBytes } from './read-body.js';

/** The side that looks like graph.facebook.com. */
@Controller()
export class CloudApiController {
  private readonly logger = new Logger(CloudApiController.name);

  constructor(private readonly handleCall: HandleCall) {}

  @Post(':version/:phoneNumberId/messages')
  async messages(
    @Param('version') version: string,
    @Param('phoneNumberId') phoneNumberId: string,
    @Headers('authorization') authorization: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!/^v\d+\.\d+$/.test(version)) throw new HttpException('unknown version', 404);
    let answer: Answer;
    try {
      answer = await this.handleCall.run(phoneNumberId, authorization, bodyBytes(request));
    } catch (error) {
      this.logger.error(error);
      answer = { kind: 'json', ...graphErrorAnswer({ code: 1 }) };
    }
    give(reply, answer);
  }
}

function give(reply: FastifyReply, answer: Answer): void {
  if (answer.kind === 'cut') {
    reply.hijack();
    // A reset, not a clean end: the caller must not mistake it for an empty answer.
    reply.raw.socket?.resetAndDestroy();
  } else if (answer.kind === 'bytes') {
    void reply.status(answer.status).headers(answer.headers).send(answer.body);
  } else {
    void reply.status(answer.status).header('content-type', 'application/json; charset=UTF-8').send(answer.body);
  }
}
