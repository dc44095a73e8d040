/** What happened to messages because others waited or a turn ran: for the log, and for the count by strategy and reason. */
import type { Strategy } from '#domain';
import type { Placed } from './write-placements.js';

export interface OverlapNews {
  /** A log event by its contract name; null: only counted. */
  event:
    | 'message-queued'
    | 'message-dequeued'
    | 'message-debouncing'
    | 'message-debounce-reset'
    | 'message-dropped'
    | 'message-superseded'
    | 'message-expired'
    | 'turn-interrupted'
    | null;
  strategy: Strategy;
  reason: string;
  conversationId: string;
  /** The message's row, and the channel's id of it. */
  eventId: string;
  messageId: string;
  batchId: string | null;
  /** Messages that wait with it, itself included. */
  queueDepth?: number;
  skippedCount?: number;
  totalSinceLastHandler?: number;
}

/** The news of a message itself; of those that it makes leave, the placing tells. */
export function newsOf(
  placed: Placed,
  { batchId, busy, queueDepth }: { batchId: string | null; busy: boolean; queueDepth: number },
): OverlapNews[] {
  const { row, placement, strategy, opens } = placed;
  const about = {
    ...{ strategy: strategy ?? ('batch' as const), conversationId: placed.conversationId as string },
    ...{ eventId: row.id, messageId: row.externalId, batchId },
  };
  switch (placement.kind) {
    case 'dropped':
      return [{ event: 'message-dropped', reason: placement.reason, ...about }];
    case 'dispatch':
      return [{ event: null, reason: 'dispatched', ...about }];
    case 'batch': {
      const queued = busy || strategy === 'queue' || (strategy === 'burst' && !opens);
      if (queued) return [{ event: 'message-queued', reason: 'queued', ...about, queueDepth }];
      const event = opens ? 'message-debouncing' : 'message-debounce-reset';
      return [{ event, reason: opens ? 'debouncing' : 'debounce-reset', ...about }];
    }
    default:
      return [];
  }
}
