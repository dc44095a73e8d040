import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Subject } from 'rxjs';

import type { ChatEntry } from './chats.js';

export type LiveEvent = { account: string; chat: string } & (
  | { type: 'entry'; entry: ChatEntry }
  | { type: 'status'; id: string; status: string }
  | { type: 'read'; ids: string[] }
  | { type: 'typing'; untilMs: number }
);

/** What happens in the chats, for the phone page. */
@Injectable()
export class LiveFeed implements OnApplicationShutdown {
  readonly events = new Subject<LiveEvent>();

  publish(event: LiveEvent): void {
    if (this.events.observed) this.events.next(event);
  }

  onApplicationShutdown(): void {
    this.events.complete();
  }
}
