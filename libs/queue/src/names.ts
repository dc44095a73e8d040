/** The queues and what their jobs carry. A job is a hint: Postgres says what there is to do. */

/** Jobs without content: look into the tables now, do not wait for the sweep. */
export const WAKEUP_QUEUES = ['events', 'turns', 'deliveries'] as const;
export type WakeupQueue = (typeof WAKEUP_QUEUES)[number];

/** `windows` holds one delayed job per open batch. */
export const QUEUES = ['events', 'windows', 'turns', 'deliveries'] as const;
export type QueueName = (typeof QUEUES)[number];

export interface WindowJob {
  batchId: string;
  /** Epoch ms by the database's clock, as known when the job was armed; the table may know better by now. */
  dueAt: number;
}

/** `rearmAt` (epoch ms): the batch is due later than the job thought, fire again then. */
export type WindowAnswer = { rearmAt: number } | void;

/** What a consumer of each queue is called with. It may throw: the job is dropped, the sweep will find the work. */
export interface QueueHandlers {
  events: () => void | Promise<void>;
  turns: () => void | Promise<void>;
  deliveries: () => void | Promise<void>;
  windows: (job: WindowJob) => WindowAnswer | Promise<WindowAnswer>;
}

/** The fixed id of a batch's job, so that a second one is never added. BullMQ refuses colons in ids. */
export function windowJobId(batchId: string): string {
  return `batch-${batchId}`;
}
