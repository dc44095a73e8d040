import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** A web page from elsewhere, open in a browser on this machine, must not write as customers. */
@Injectable()
export class SameOrigin implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { origin, host } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  }
}
