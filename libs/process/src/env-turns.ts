/** Turns, leases, retries and deliveries. */
import { BatchingEnv } from './env-batching.js';
import { OneOf, Whole } from './env-setting.js';

const HOUR = 3_600_000;

export class TurnsEnv extends BatchingEnv {
  @Whole(1000, HOUR, 'ms that a responder owns a batch without renewing')
  LEASE_MS = 120_000;

  @Whole(50, HOUR / 2, 'ms between two renewals; at most half of LEASE_MS')
  LEASE_RENEW_MS = 30_000;

  @Whole(1, 20, 'attempts of a turn or of a part before a person gets it')
  MAX_ATTEMPTS = 4;

  @Whole(50, 600_000, 'ms before the second attempt; doubles with each one')
  RETRY_BASE_MS = 5000;

  @Whole(1, 500, 'turns that one responder runs at once')
  TURN_CONCURRENCY = 5;

  @Whole(1, 1_000_000, 'turns that one conversation begins per day (UTC); further batches go to a person')
  MAX_TURNS_PER_DAY = 200;

  @Whole(1, 500, 'parts that one responder sends at once')
  DELIVERY_CONCURRENCY = 20;

  @Whole(0, 60_000, 'least ms between two parts of one reply')
  PART_GAP_MS = 500;

  @Whole(0, HOUR, 'ms that a part without an answer waits for evidence')
  UNKNOWN_WAIT_MS = 30_000;

  @OneOf(['review', 'resend'], 'what becomes of it then; resend may send it twice')
  UNKNOWN_SEND: 'review' | 'resend' = 'review';

  @Whole(10, HOUR, 'ms for one answer of the model or of the http assistant')
  MODEL_TIMEOUT_MS = 60_000;

  @Whole(10, HOUR, 'ms for one run of a tool')
  TOOL_TIMEOUT_MS = 30_000;

  @Whole(10, 600_000, 'ms for one call of a channel')
  SEND_TIMEOUT_MS = 15_000;

  @Whole(100, 24 * HOUR, 'ms for a whole turn; after it the lease is not renewed')
  TURN_MAX_MS = 600_000;

  @Whole(1000, 30 * 24 * HOUR, 'ms after which a takeover ends by itself')
  TAKEOVER_TIMEOUT_MS = 8 * HOUR;
}
