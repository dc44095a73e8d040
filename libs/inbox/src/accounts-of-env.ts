/** The first accounts, as the environment describes them. */
import type { Policy } from '#domain';
import { commaList, type Env } from '#process';
import type { AccountSettings } from './accounts.js';

/** Accounts whose variables are all set; one that is set in part is no account. */
export function accountsOfEnv(env: Readonly<Env>): AccountSettings[] {
  const accounts: AccountSettings[] = [];
  if (env.WHATSAPP_PHONE_NUMBER_ID && env.WHATSAPP_ACCESS_TOKEN && env.WHATSAPP_APP_SECRET) {
    accounts.push({
      channel: 'whatsapp',
      externalId: env.WHATSAPP_PHONE_NUMBER_ID,
      accessToken: env.WHATSAPP_ACCESS_TOKEN,
      appSecrets: commaList(env.WHATSAPP_APP_SECRET),
      verifyToken: env.WHATSAPP_VERIFY_TOKEN ?? null,
      apiUrl: env.WHATSAPP_API_URL,
      apiVersion: env.WHATSAPP_API_VERSION,
    });
  }
  return accounts;
}

/** The policy of accounts whose row says nothing else. */
export function policyOfEnv(env: Readonly<Env>): Policy {
  return {
    windowMs: env.WINDOW_MS,
    maxWaitMs: env.MAX_WAIT_MS,
    lateAfterMs: env.LATE_AFTER_MS,
    maxAttempts: env.MAX_ATTEMPTS,
    retryBaseMs: env.RETRY_BASE_MS,
    unknownWaitMs: env.UNKNOWN_WAIT_MS,
    unknownSend: env.UNKNOWN_SEND,
    strategy: env.OVERLAP_STRATEGY,
    debounceMs: env.DEBOUNCE_MS,
    maxQueueSize: env.MAX_QUEUE_SIZE,
    onQueueFull: env.ON_QUEUE_FULL,
    queueEntryTtlMs: env.QUEUE_ENTRY_TTL_MS,
    maxConcurrent: env.MAX_CONCURRENT ?? null,
    maxRestarts: env.MAX_RESTARTS,
    ...(env.LOCK_SCOPE === undefined ? {} : { lockScope: env.LOCK_SCOPE }),
  };
}
