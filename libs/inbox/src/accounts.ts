/** The accounts: rows, cached for the hot paths and read again when somebody unknown is named. */
import type { Channel, ChannelAccount, PolicyOverrides } from '#domain';
import { accountKey } from '#domain';
import type { Database } from './database.js';

export interface Account extends ChannelAccount {
  id: string;
  tenant: string;
  instructions: string | null;
  overrides: PolicyOverrides;
}

export type AccountSettings = Omit<ChannelAccount, 'key'> & { tenant?: string };

/**
 * Creates or updates the account that the environment describes, and resumes it when its token changed: a paused
 * account waits for exactly that. Resolves to the account's id.
 */
export async function ensureAccount(db: Database, settings: AccountSettings): Promise<string> {
  const key = accountKey(settings.channel, settings.externalId);
  // One statement each: every service does this at its start, several at the same moment.
  const tenants = await db.prisma.$queryRaw<{ id: string }[]>`
    INSERT INTO tenant (name) VALUES (${settings.tenant ?? 'default'})
    ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id::text`;
  const accounts = await db.prisma.$queryRaw<{ id: string }[]>`
    INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, verify_token, api_url, api_version)
    VALUES (${tenants[0]?.id}::bigint, ${key}, ${settings.channel}, ${settings.externalId}, ${settings.accessToken},
      ${settings.appSecrets}::text[], ${settings.verifyToken}, ${settings.apiUrl}, ${settings.apiVersion})
    ON CONFLICT (key) DO UPDATE SET access_token = excluded.access_token, app_secrets = excluded.app_secrets,
      verify_token = excluded.verify_token, api_url = excluded.api_url, api_version = excluded.api_version,
      paused_at = CASE WHEN account.access_token = excluded.access_token THEN account.paused_at END,
      paused_reason = CASE WHEN account.access_token = excluded.access_token THEN account.paused_reason END
    RETURNING id::text`;
  return (accounts[0] as { id: string }).id;
}

export async function loadAccounts(db: Database): Promise<Account[]> {
  const rows = await db.prisma.account.findMany({ include: { tenant: true } });
  return rows.map((row) => ({
    id: row.id.toString(),
    key: row.key,
    tenant: row.tenant.name,
    channel: row.channel as Channel,
    externalId: row.externalId,
    accessToken: row.accessToken,
    appSecrets: row.appSecrets,
    verifyToken: row.verifyToken,
    apiUrl: row.apiUrl,
    apiVersion: row.apiVersion,
    instructions: row.instructions,
    overrides: (row.policy ?? {}) as PolicyOverrides,
  }));
}

/** How long a cached account may be out of date, ms. */
const REFRESH_MS = 5_000;
/** How often an unknown name may cause a reload, ms: strangers must not cost a query each. */
const UNKNOWN_REFRESH_MS = 1_000;

/** A process's view of the accounts. Reads are synchronous; `refresh` follows the table. */
export class AccountDirectory {
  private byKey = new Map<string, Account>();
  private byId = new Map<string, Account>();
  private secrets = new Map<Channel, readonly string[]>();
  private loadedAt = -Infinity;
  private loading: Promise<void> | null = null;

  constructor(private readonly db: Database) {}

  all(): Account[] {
    return [...this.byKey.values()];
  }

  /** Nothing can be judged before the accounts have been read. */
  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }

  /** The app secrets of all accounts of a channel, each once. */
  secretsOf(channel: Channel): readonly string[] {
    return this.secrets.get(channel) ?? [];
  }

  findByKey(key: string): Account | undefined {
    return this.byKey.get(key);
  }

  findById(id: string): Account | undefined {
    return this.byId.get(id);
  }

  /** Reads the table when the view is old; at once when `force`. Rejects when the database does. */
  async refresh(force = false): Promise<void> {
    if (!force && performance.now() - this.loadedAt < REFRESH_MS) return;
    this.loading ??= this.load().finally(() => (this.loading = null));
    await this.loading;
  }

  /** The account of one of our rows: read again when it is not known yet, for it may be a moment old. */
  async knowId(id: string): Promise<Account | undefined> {
    if (!this.byId.has(id)) await this.refresh(true);
    return this.byId.get(id);
  }

  /** True when every key is known, after one reload if that may help. */
  async know(keys: Iterable<string>): Promise<void> {
    for (const key of keys) {
      if (this.byKey.has(key)) continue;
      if (performance.now() - this.loadedAt >= UNKNOWN_REFRESH_MS) await this.refresh(true);
      return;
    }
  }

  private async load(): Promise<void> {
    const accounts = await loadAccounts(this.db);
    this.byKey = new Map(accounts.map((account) => [account.key, account]));
    this.byId = new Map(accounts.map((account) => [account.id, account]));
    this.secrets = secretsByChannel(accounts);
    this.loadedAt = performance.now();
  }
}

function secretsByChannel(accounts: readonly Account[]): Map<Channel, readonly string[]> {
  const found = new Map<Channel, Set<string>>();
  for (const { channel, appSecrets } of accounts) {
    const secrets = found.get(channel) ?? new Set();
    for (const secret of appSecrets) secrets.add(secret);
    found.set(channel, secrets);
  }
  return new Map([...found].map(([channel, secrets]) => [channel, [...secrets]]));
}
