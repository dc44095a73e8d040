import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Every pending wait of the simulator, so that closing leaves none behind. Waits never keep the process alive. */
@Injectable()
export class Timers implements OnApplicationShutdown {
  private readonly pending = new Set<NodeJS.Timeout>();
  private closed = false;

  /** Runs `task` after `ms`; never, once the simulator is closing. */
  after(ms: number, task: () => void): void {
    if (this.closed) return;
    const timer = setTimeout(() => {
      this.pending.delete(timer);
      task();
    }, ms);
    timer.unref();
    this.pending.add(timer);
  }

  /** Resolves after `ms`; at once for 0. */
  wait(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : new Promise((resolve) => this.after(ms, resolve));
  }

  onApplicationShutdown(): void {
    this.closed = true;
    for (const timer of this.pending) clearTimeout(timer);
    this.pending.clear();
  }
}
