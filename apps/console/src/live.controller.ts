import { Controller, Sse, type MessageEvent } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { interval, map, merge, of, takeUntil, type Observable } from 'rxjs';
import { LiveFeed } from './live-feed.js';

/** Without it nobody would notice a connection that broke silently. */
const HEARTBEAT_MS = 15_000;

@ApiTags('live')
@Controller('api/live')
export class LiveController {
  constructor(private readonly feed: LiveFeed) {}

  @Sse()
  @ApiOperation({ summary: 'Server-sent events: event, batch, part and review as they appear and change' })
  live(): Observable<MessageEvent> {
    const hello = of<MessageEvent>({ type: 'open', data: {} });
    const changes = this.feed.changes.pipe(map((change): MessageEvent => ({ type: change.kind, data: change })));
    const heartbeat = interval(HEARTBEAT_MS).pipe(map((): MessageEvent => ({ type: 'heartbeat', data: {} })));
    return merge(hello, changes, heartbeat).pipe(takeUntil(this.feed.closing));
  }
}
