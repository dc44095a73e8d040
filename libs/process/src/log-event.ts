/** The events that people alert on and tests wait for. Their names are a contract: a line's `event` field. */
import type { Log } from './log.js';

export const LOG_EVENTS = [
  'message-received',
  'message-duplicate',
  'message-queued',
  'message-dequeued',
  'message-dropped',
  'message-expired',
  'message-superseded',
  'message-debouncing',
  'message-debounce-reset',
  'batch-due',
  'turn-started',
  'turn-finished',
  'turn-failed',
  'turn-interrupted',
  'part-sent',
  'part-unknown',
  'review-opened',
] as const;
export type LogEvent = (typeof LOG_EVENTS)[number];

/** Those that a person should look at are warnings. */
const WARNINGS: ReadonlySet<LogEvent> = new Set(['message-dropped', 'turn-failed', 'part-unknown', 'review-opened']);

/** One line `{event, ...fields}`; never throws. */
export function logEvent(log: Log, event: LogEvent, fields: Record<string, unknown> = {}): void {
  const line = { event, ...fields };
  if (WARNINGS.has(event)) log.warn(line, event);
  else log.info(line, event);
}
