/** Short times, so that a run of minutes holds hundreds of faults. All in ms. */
export const TIMES = {
  window: 500,
  cap: 2_500,
  queueEntryTtl: 10_000,
  lease: 2_000,
  renew: 500,
  sweep: 200,
  modelTimeout: 1_500,
  toolTimeout: 1_500,
  sendTimeout: 1_000,
  unknownWait: 800,
  partGap: 100,
  grace: 1_500,
  takeover: 8_000,
  /** The channel's own rule. */
  serviceWindow: 24 * 3_600_000,
};

/** From the mark `sending` until the last moment at which bytes may leave: the sender's own deadline. */
export const SEND_BY_MS = TIMES.sendTimeout * 0.5 + 1_000;

/** Turns of one conversation at once, under `concurrent`. */
export const MAX_CONCURRENT = 2;

/**
 * What all services are given, besides addresses and secrets.
 * @param {{strategy: string}} options
 */
export function serviceEnv({ strategy }) {
  return {
    OVERLAP_STRATEGY: strategy,
    DEBOUNCE_MS: TIMES.window,
    MAX_QUEUE_SIZE: 4,
    QUEUE_ENTRY_TTL_MS: TIMES.queueEntryTtl,
    MAX_CONCURRENT,
    WINDOW_MS: TIMES.window,
    MAX_WAIT_MS: TIMES.cap,
    LEASE_MS: TIMES.lease,
    LEASE_RENEW_MS: TIMES.renew,
    // Every kill uses an attempt up; what is tortured here is not the limit.
    MAX_ATTEMPTS: 20,
    MAX_TURNS_PER_DAY: 10_000,
    RETRY_BASE_MS: 50,
    SWEEP_MS: TIMES.sweep,
    POLL_MS: 100,
    // People write as if a day ago, so that service windows close during the run.
    LATE_AFTER_MS: 7 * 24 * 3_600_000,
    MODEL_TIMEOUT_MS: TIMES.modelTimeout,
    TOOL_TIMEOUT_MS: TIMES.toolTimeout,
    SEND_TIMEOUT_MS: TIMES.sendTimeout,
    UNKNOWN_WAIT_MS: TIMES.unknownWait,
    PART_GAP_MS: TIMES.partGap,
    SHUTDOWN_GRACE_MS: TIMES.grace,
    TAKEOVER_TIMEOUT_MS: TIMES.takeover,
    DATABASE_POOL_MAX: 8,
    AI_MODEL: 'openai-compatible:fake',
    LOG_LEVEL: 'info',
  };
}
