/** One delayed job per open batch. It only shortens the wait: due_at stands in the table. */
import { settlesWithin, type Log } from '#process';
import type { QueueBackend } from './backend.js';
import { closeQueue } from './close-bounded.js';
import { windowJobId, type WindowJob } from './names.js';
import { Producer } from './producer.js';

/** Longer than any healthy add takes; a batcher must not stand still for a queue. */
const ARM_MS = 1000;

export class WindowJobs {
  private readonly producer: Producer;
  /** Adds that outlived ARM_MS. While there is one, the backend is not answering and no more are sent after it. */
  private overdue = 0;

  constructor(backend: QueueBackend, log: Log) {
    this.producer = new Producer(backend, 'windows', log);
  }

  /**
   * Sets the timer of a batch, unless it has one: an existing job stays as it is and asks the table when it fires.
   * @param dueAtMs epoch ms.
   * @returns whether the batch has a timer now, within a second; false: the sweep will find it. Never throws.
   */
  armWindow(batchId: string, dueAtMs: number): Promise<boolean> {
    return this.armWindows([{ batchId, dueAt: dueAtMs }]);
  }

  /** The same for several batches in one call: all of them or none. */
  async armWindows(windows: readonly WindowJob[]): Promise<boolean> {
    if (windows.length === 0) return true;
    const queue = this.overdue === 0 ? this.producer.usable() : null;
    if (!queue) return false;
    let armed = false;
    const adding = queue
      .addBulk(windows.map((window) => ({ name: 'window', data: window, opts: jobOptions(window) })))
      .then(() => {
        armed = true;
        this.producer.succeeded();
      })
      .catch((error: unknown) => this.producer.failed(error));
    if (!(await settlesWithin(adding, ARM_MS))) {
      this.overdue += 1;
      void adding.finally(() => (this.overdue -= 1));
    }
    return armed;
  }

  close(): Promise<void> {
    return closeQueue(this.producer.end());
  }
}

function jobOptions(window: WindowJob) {
  return {
    jobId: windowJobId(window.batchId),
    delay: Math.max(0, window.dueAt - Date.now()),
    // A kept finished job would swallow the next add under the same id.
    removeOnComplete: true,
    removeOnFail: true,
  };
}
