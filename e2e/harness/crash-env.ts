/** Short times, so that what a crash leaves behind is found again soon; many attempts, because every kill uses one up. */
export const CRASH_ENV = {
  WINDOW_MS: '150',
  MAX_WAIT_MS: '2000',
  LEASE_MS: '3000',
  LEASE_RENEW_MS: '700',
  MAX_ATTEMPTS: '20',
  RETRY_BASE_MS: '50',
  SWEEP_MS: '100',
  SEND_TIMEOUT_MS: '1000',
  UNKNOWN_WAIT_MS: '500',
  PART_GAP_MS: '100',
};
