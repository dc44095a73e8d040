/** What a service has to finish before it may stop. */
import type { Log } from './log.js';
import { settlesWithin } from './time.js';

type Hook = () => Promise<unknown> | void;

/**
 * Workers register here how they come to rest: stop claiming, wait for what runs.
 * Connections are not closed here but in Nest's onApplicationShutdown, which comes after.
 */
export class Drain {
  private readonly hooks = new Map<string, Hook>();
  private readonly starting = new AbortController();

  /** Aborted at the first moment of a stop. */
  get signal(): AbortSignal {
    return this.starting.signal;
  }

  onDrain(name: string, hook: Hook): void {
    this.hooks.set(name, hook);
  }

  /** Runs all hooks at once, for at most `graceMs`; a hook that fails or hangs is logged and left behind. */
  async run(graceMs: number, log: Log): Promise<void> {
    this.starting.abort();
    await Promise.all(
      [...this.hooks].map(async ([name, hook]) => {
        const done = Promise.resolve()
          .then(hook)
          .catch((error: unknown) => log.error({ err: error, hook: name }, 'could not come to rest'));
        if (!(await settlesWithin(done, graceMs))) log.warn({ hook: name, graceMs }, 'stopped before it was at rest');
      }),
    );
  }
}
