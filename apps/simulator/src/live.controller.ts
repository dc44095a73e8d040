import { Controller, type MessageEvent, Sse, UseGuards } from '@nestjs/common';
import { interval, map, merge, type Observable, takeUntil, last } from 'rxjs';

import { LiveFeed } from './live-feed.js';
import { SameOrigin } from './same-origin.guard.js';

const HEARTBEAT_MS = 15_000;

/** Server-sent events for the phone page. */
@Controller('control/live')
@UseGuards(SameOrigin)
export class LiveController {
  constructor(private readonly feed: LiveFeed) {}

  @Sse()
  live(): Observable<MessageEvent> {
    const closing = this.feed.events.pipe(last(null, null));
    // Without a heartbeat a connection that broke silently would never be noticed.
    const heartbeat = interval(HEARTBEAT_MS).pipe(
      takeUntil(closing),
      map((): MessageEvent => ({ type: 'heartbeat', data: '' })),
    );
    return merge(this.feed.events.pipe(map((event): MessageEvent => ({ data: event }))), heartbeat);
  }
}
