/** A window's delayed job fired: is its batch due, or has another message come in the meantime? */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Database, rearmBatch } from '#inbox';
import { LOG, logEvent } from '#process';
import type { Log } from '#process';
import { Consumers, Wakeups } from '#queue';

/** Where this host's clock is ahead of the database's, a job fires early, ms: asking at once would spin until it is due. */
const ASK_AGAIN_MS = 20;

@Injectable()
export class WindowProcessor implements OnModuleInit {
  constructor(
    private readonly consumers: Consumers,
    private readonly db: Database,
    private readonly wakeups: Wakeups,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.consumers.consume('windows', async ({ batchId }) => {
      const dueAt = await rearmBatch(this.db, batchId);
      if (dueAt === null) return undefined;
      if (dueAt > 0) return { rearmAt: Math.max(dueAt, Date.now() + ASK_AGAIN_MS) };
      logEvent(this.log, 'batch-due', { batchId });
      this.wakeups.wake('turns');
      return undefined;
    });
  }
}
