/** Parsed items as rows: whose they are, and whether there is anything to do with them at all. */
import { accountKey, judgeTrust, type Channel, type ParsedItem } from '#domain';
import type { Account, NewEvent } from '#inbox';

/** `secret` is the one that verified the body: it must belong to the account of each item. */
export function toNewEvents(
  channel: Channel,
  items: ParsedItem[],
  secret: string,
  accountOf: (key: string) => Account | undefined,
): NewEvent[] {
  return items.map((item) => {
    const key = accountKey(channel, item.accountExternalId);
    const account = accountOf(key);
    // An item that names no account is the channel's own matter (or unreadable), not a stranger's.
    const trust = item.accountExternalId === null ? { kind: 'ours' as const } : judgeTrust(account, secret);
    return {
      accountKey: key,
      externalId: item.externalId,
      accountId: trust.kind === 'ours' ? (account?.id ?? null) : null,
      kind: item.event.kind,
      providerAt: item.providerAt,
      contentHash: item.contentHash,
      raw: item.raw,
      rawIsBase64: item.rawIsBase64,
      parsed: JSON.stringify(item.event),
      ignored: trust.kind === 'ours' ? null : trust.reason,
    };
  });
}
