/** What the customer sees while the assistant works: blue ticks and "typing". */
import { Inject, Injectable } from '@nestjs/common';
import { driverFor } from '#channels';
import type { Account } from '#inbox';
import { Env, LOG, RepeatingTask } from '#process';
import type { Log } from '#process';

/** Refreshed this long before the indicator would fade by itself, ms. */
const MARGIN_MS = 5_000;

@Injectable()
export class Presence {
  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Shows it until the returned function is called. Best effort: a channel that refuses costs the customer nothing but
   * the sight. It also marks everything up to the message as read, so only a turn that answers may call it.
   */
  show(account: Account, messageId: string): () => void {
    const driver = driverFor(account.channel);
    if (!driver) return () => undefined;
    const task = new RepeatingTask({
      name: 'typing',
      everyMs: Math.max(1000, driver.limits.typingMs - MARGIN_MS),
      log: this.log,
      run: async () => {
        await driver.markRead(account, messageId, true, this.env.SEND_TIMEOUT_MS);
      },
    });
    task.start();
    return () => void task.stop();
  }
}
