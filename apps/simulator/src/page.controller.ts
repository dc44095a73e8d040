import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Controller, Get, NotFoundException, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** From dist/apps/simulator, and from apps/simulator/src in tests. */
const PLACES = ['../../../apps/simulator/web', '../web'];
const HERE = dirname(fileURLToPath(import.meta.url));
const WEB = PLACES.map((place) => join(HERE, place)).find((place) => existsSync(join(place, 'index.html')));

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'phone.css': 'text/css; charset=utf-8',
  'phone.js': 'text/javascript; charset=utf-8',
  'countdown.js': 'text/javascript; charset=utf-8',
  'people.js': 'text/javascript; charset=utf-8',
  'chat-view.js': 'text/javascript; charset=utf-8',
} as const;

/** The phone page: a few plain files, read on each request so that an edit shows at once. */
@Controller()
export class PageController {
  @Get()
  index(@Res() reply: FastifyReply): void {
    serve(reply, 'index.html');
  }

  @Get('phone/:file')
  file(@Param('file') file: string, @Res() reply: FastifyReply): void {
    if (!Object.hasOwn(TYPES, file)) throw new NotFoundException();
    serve(reply, file as keyof typeof TYPES);
  }
}

function serve(reply: FastifyReply, file: keyof typeof TYPES): void {
  if (WEB === undefined) throw new NotFoundException('the page is not installed');
  void reply
    .header('content-type', TYPES[file])
    .header(
      'content-security-policy',
      "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    )
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-cache')
    .send(readFileSync(join(WEB, file)));
}
