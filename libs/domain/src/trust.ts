/** Whose event is it? A signature proves one app's secret, not the right to speak for every account we know. */
import type { IgnoreReason } from './outcome.js';

export interface KnownAccount {
  key: string;
  appSecrets: readonly string[];
}

export type Trust = { kind: 'ours' } | { kind: 'ignored'; reason: IgnoreReason };

/** `secret`: the one that verified the body. Null when the item names no account: the URL's channel answers for it. */
export function judgeTrust(account: KnownAccount | undefined, secret: string): Trust {
  if (!account) return { kind: 'ignored', reason: 'unknown-account' };
  return account.appSecrets.includes(secret) ? { kind: 'ours' } : { kind: 'ignored', reason: 'foreign-account' };
}

/** The key that events of an account are stored under; also of an account we do not know. */
export function accountKey(channel: string, externalId: string | null): string {
  return externalId === null ? channel : `${channel}:${externalId}`;
}
