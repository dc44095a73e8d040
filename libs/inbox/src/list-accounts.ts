/** The accounts as a person may see them: no token, no secret. */
import type { Database } from './database.js';

export interface AccountView {
  id: string;
  tenant: string;
  channel: string;
  externalId: string;
  /** What the row overrides of the environment's policy. */
  policy: unknown;
  pausedAt: Date | null;
  pausedReason: string | null;
  /** Nothing is sent before this time: the channel's rate limit. */
  backoffUntil: Date | null;
}

export function listAccounts(db: Database): Promise<AccountView[]> {
  return db.prisma.$queryRaw<AccountView[]>`
    SELECT a.id::text, t.name AS tenant, a.channel, a.external_id AS "externalId", a.policy, a.paused_at AS "pausedAt",
      a.paused_reason AS "pausedReason", a.backoff_until AS "backoffUntil"
    FROM account a JOIN tenant t ON t.id = a.tenant_id ORDER BY a.id`;
}
