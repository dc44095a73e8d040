/** Says that a connection is in trouble once, then at most once a minute, and when it is over. */
import { monotonicMs, type Log } from '#process';

const QUIET_MS = 60_000;

/** One per backend of a process; every 'error' event of queues, workers and clients ends here. */
export class Trouble {
  private since: number | null = null;
  private saidAt = -Infinity;
  private unsaid = 0;

  constructor(
    private readonly log: Log,
    private readonly backend: string,
  ) {}

  report(error: unknown, where: string): void {
    const now = monotonicMs();
    this.since ??= now;
    if (now - this.saidAt < QUIET_MS) {
      this.unsaid += 1;
      return;
    }
    const line = { err: error, where, backend: this.backend, unsaid: this.unsaid };
    this.log.warn(line, 'the queue is not reachable; sweeps go on without it');
    this.saidAt = now;
    this.unsaid = 0;
  }

  over(): void {
    if (this.since === null) return;
    this.log.info(
      { backend: this.backend, forMs: Math.round(monotonicMs() - this.since) },
      'the queue is reachable again',
    );
    this.since = null;
    this.saidAt = -Infinity;
    this.unsaid = 0;
  }
}
