/** How messages become batches, and batches turns. */
import {
  LOCK_SCOPES,
  QUEUE_FULL_ACTIONS,
  STRATEGIES,
  type LockScope,
  type QueueFullAction,
  type Strategy,
} from '#domain';
import { ServicesEnv } from './env-services.js';
import { OneOf, Whole } from './env-setting.js';

const HOUR = 3_600_000;

export class BatchingEnv extends ServicesEnv {
  @Whole(0, 300_000, 'ms of quiet after the latest message before a batch is due; 0: at once')
  WINDOW_MS = 20_000;

  @Whole(0, HOUR, 'ms that a batch waits at most, from its first message; at least WINDOW_MS')
  MAX_WAIT_MS = 60_000;

  @Whole(1, 10_000, 'messages that make a batch due at once, whatever its window')
  MAX_BATCH_MESSAGES = 50;

  @Whole(100, 1_000_000, 'characters that make a batch due at once, whatever its window')
  MAX_BATCH_CHARACTERS = 20_000;

  @OneOf(STRATEGIES, 'what happens when messages overlap with a turn; see docs/overlap.md')
  OVERLAP_STRATEGY: Strategy = 'batch';

  @Whole(1, 300_000, 'ms of the strategies burst and debounce')
  DEBOUNCE_MS = 1500;

  @Whole(1, 10_000, 'messages that the strategies queue and burst keep waiting')
  MAX_QUEUE_SIZE = 10;

  @OneOf(QUEUE_FULL_ACTIONS, 'which message goes when that queue is full')
  ON_QUEUE_FULL: QueueFullAction = 'drop-oldest';

  @Whole(1, 24 * HOUR, 'ms after which a message that waits under queue, burst or debounce is expired')
  QUEUE_ENTRY_TTL_MS = 90_000;

  @Whole(1, 1000, 'turns of one conversation at once under concurrent; not set: no limit')
  MAX_CONCURRENT?: number;

  @Whole(0, 100, 'times that interrupt restarts a turn')
  MAX_RESTARTS = 2;

  @OneOf(LOCK_SCOPES, 'what one turn at a time refers to; not set: what suits the channel')
  LOCK_SCOPE?: LockScope;

  @Whole(1000, 7 * 24 * HOUR, 'ms after which a message is too old to be answered without a person')
  LATE_AFTER_MS = 900_000;

  @Whole(10, 60_000, 'ms between two looks for work that no wake-up announced')
  SWEEP_MS = 1000;

  @Whole(10, 10_000, 'ms between two looks of a responder that has no Redis')
  POLL_MS = 100;
}
