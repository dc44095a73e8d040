/**
 * The shape of every sweep and claim loop: a pass now and then, sooner when somebody rings, never two at once.
 * A ring during a pass causes exactly one more pass, however many ring: what they announced may have come after
 * the pass looked.
 */
import type { Log } from './log.js';
import { monotonicMs } from './time.js';

const TELL_AGAIN_MS = 60_000;

/** `again`: there is more to do, the next pass follows at once. */
export type PassResult = 'again' | void;

export interface RepeatingTaskOptions {
  name: string;
  /** Milliseconds from the end of a pass to the next one that nobody rings for. */
  everyMs: number;
  /** One pass. Its errors are logged and the next pass comes at its usual time. */
  run: (stopping: AbortSignal) => Promise<PassResult>;
  log: Log;
}

export class RepeatingTask {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private rung = false;
  private started = false;
  private told: { message: string; at: number } | null = null;

  constructor(private readonly options: RepeatingTaskOptions) {}

  /** The first pass begins at once. */
  start(): void {
    this.started = true;
    this.ring();
  }

  /** A pass as soon as possible; cheap, may be called from anywhere, does nothing before start and after stop. */
  ring(): void {
    if (!this.started || this.stopping.signal.aborted) return;
    this.rung = true;
    if (this.running) return;
    clearTimeout(this.timer);
    this.running = this.passes().finally(() => {
      this.running = undefined;
      this.schedule();
    });
  }

  /** No further pass begins; resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.running;
  }

  private async passes(): Promise<void> {
    while (this.rung && !this.stopping.signal.aborted) {
      this.rung = false;
      try {
        if ((await this.options.run(this.stopping.signal)) === 'again') this.rung = true;
        this.told = null;
      } catch (error) {
        this.tell(error);
      }
    }
  }

  /** A database that is away would fill the log ten times a second: the same error is told once a minute. */
  private tell(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.told?.message === message && monotonicMs() - this.told.at < TELL_AGAIN_MS) return;
    this.told = { message, at: monotonicMs() };
    this.options.log.error({ err: error, task: this.options.name }, 'a pass failed');
  }

  private schedule(): void {
    if (this.stopping.signal.aborted) return;
    if (this.rung) return this.ring();
    this.timer = setTimeout(() => this.ring(), this.options.everyMs);
  }
}
