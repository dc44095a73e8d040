export { queuesForBoard, type BoardQueues } from './board-queues.js';
export { connectionsNeeded } from './connection-budget.js';
export { Consumers } from './consumers.js';
export {
  QUEUES,
  WAKEUP_QUEUES,
  type QueueHandlers,
  type QueueName,
  type WakeupQueue,
  type WindowAnswer,
  type WindowJob,
} from './names.js';
export { QUEUE_SCHEMA } from './postgres-backend.js';
export { QueueModule, type QueueModuleOptions } from './queue.module.js';
export { Wakeups, type WakeupOutcome } from './wakeups.js';
export { WindowJobs } from './window-jobs.js';
