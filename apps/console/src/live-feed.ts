/** What changes in the tables, as it happens. The tables are asked once a second, and only while somebody listens. */
import { Inject, Injectable } from '@nestjs/common';
import { Observable, share, Subject, takeUntil } from 'rxjs';
import { ChangeFollower, Database, type Change } from '#inbox';
import { Drain, LOG, RepeatingTask } from '#process';
import type { Log } from '#process';

const EVERY_MS = 1_000;

@Injectable()
export class LiveFeed {
  /** Completes when the service stops: a page that listens never hangs up by itself. */
  readonly closing = new Subject<void>();
  /** One follower for all listeners. */
  readonly changes: Observable<Change>;

  constructor(db: Database, @Inject(LOG) log: Log, drain: Drain) {
    const following = new Observable<Change>((listener) => {
      const follower = new ChangeFollower(db);
      const run = async (): Promise<void> => {
        for (const change of await follower.next()) listener.next(change);
      };
      const task = new RepeatingTask({ name: 'live changes', everyMs: EVERY_MS, run, log });
      task.start();
      return () => void task.stop();
    });
    this.changes = following.pipe(share(), takeUntil(this.closing));
    drain.onDrain('live changes', () => this.closing.next());
  }
}
