/** One business number that the simulator plays Meta for. */
export interface AccountOptions {
  phoneNumberId: string;
  accessToken: string;
  appSecret: string;
  /** Where signed webhooks of this number are posted. */
  webhookUrl: string;
  displayPhoneNumber?: string | undefined;
  wabaId?: string | undefined;
}

/** When the statuses of an accepted message follow, in ms after acceptance; null: that status never comes. */
export interface StatusDelays {
  sentMs: number | null;
  deliveredMs: number | null;
  readMs: number | null;
}

/** What can be changed while the simulator runs (POST /control/settings). */
export interface SimulatorSettings {
  statuses: StatusDelays;
  /** Pair limit: messages to one person in a burst, and ms until one more is allowed. */
  pairLimit: { burst: number; refillMs: number };
  /** Webhook retries: first delay (doubled each time up to maxDelayMs), age limit, and how many may wait. */
  retry: { baseMs: number; maxDelayMs: number; maxAgeMs: number; maxPending: number };
  /** Only told to the phone page, which estimates the batch countdown from them. */
  windowMs: number;
  maxWaitMs: number;
}

export interface SimulatorOptions {
  accounts: AccountOptions[];
  settings: SimulatorSettings;
}

/** Injection token of the boot options. */
export const SIMULATOR_OPTIONS = Symbol('simulator options');

/** Limits of Meta's platform overview: 45 messages borrowed in a burst, then one per 6 seconds. */
export const DEFAULT_SETTINGS: SimulatorSettings = {
  statuses: { sentMs: 50, deliveredMs: 150, readMs: 400 },
  pairLimit: { burst: 45, refillMs: 6000 },
  retry: { baseMs: 1000, maxDelayMs: 60_000, maxAgeMs: 24 * 3600_000, maxPending: 10_000 },
  windowMs: 20_000,
  maxWaitMs: 60_000,
};
