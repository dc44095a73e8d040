/** The conversations, the latest first. */
import { pageOf, type Cursor, type Page } from './cursor.js';
import type { Database } from './database.js';

export interface ConversationSummary {
  id: string;
  account: { id: string; channel: string; externalId: string };
  contact: { name: string | null; aliases: { kind: string; value: string }[] };
  lastInboundAt: Date | null;
  /** The beginning of the customer's latest message. */
  preview: string | null;
  takeover: { by: string | null; at: Date; until: Date | null } | null;
  /** What the assistant is at: collecting, running, retry_wait; null: nothing. */
  batchState: string | null;
  openReviews: number;
}

interface Row {
  id: string;
  sortAt: number;
  accountId: string;
  channel: string;
  externalId: string;
  name: string | null;
  aliases: { kind: string; value: string }[];
  lastInboundAt: Date | null;
  preview: string | null;
  takenOverBy: string | null;
  takenOverAt: Date | null;
  takeoverUntil: Date | null;
  batchState: string | null;
  openReviews: number;
}

/** @param query part of a name or of an address; empty: all. */
export async function listConversations(
  db: Database,
  query: string,
  limit: number,
  after: Cursor | null,
): Promise<Page<ConversationSummary>> {
  const pattern = query === '' ? null : `%${query.replace(/[\\%_]/g, '\\$&')}%`;
  const rows = await db.prisma.$queryRaw<Row[]>`
    WITH page AS MATERIALIZED (
      SELECT c.*, epoch_ms(coalesce(c.last_inbound_at, c.created_at)) AS sort_at FROM conversation c
      WHERE c.merged_into_id IS NULL AND (${pattern}::text IS NULL OR c.name ILIKE ${pattern} OR c.group_id ILIKE ${pattern}
          OR EXISTS (SELECT FROM contact_alias ca WHERE ca.conversation_id = c.id AND ca.value ILIKE ${pattern}))
        AND (${after?.id ?? null}::bigint IS NULL OR (coalesce(c.last_inbound_at, c.created_at), c.id)
          < (from_epoch_ms(${after?.at ?? null}::float8), ${after?.id ?? null}::bigint))
      ORDER BY coalesce(c.last_inbound_at, c.created_at) DESC, c.id DESC LIMIT ${limit + 1})
    SELECT c.id::text, c.sort_at AS "sortAt", a.id::text AS "accountId", a.channel, a.external_id AS "externalId", c.name,
      coalesce((SELECT jsonb_agg(jsonb_build_object('kind', kind, 'value', value) ORDER BY kind, value)
        FROM contact_alias ca WHERE ca.conversation_id = c.id), '[]') AS aliases,
      c.last_inbound_at AS "lastInboundAt",
      (SELECT left(e.parsed #>> '{speech,text}', 200) FROM event e WHERE e.conversation_id = c.id AND e.kind = 'message'
        ORDER BY e.id DESC LIMIT 1) AS preview,
      c.taken_over_by AS "takenOverBy", c.taken_over_at AS "takenOverAt", c.takeover_until AS "takeoverUntil",
      (SELECT b.state FROM batch b WHERE b.conversation_id = c.id AND b.state IN ('running', 'retry_wait', 'queued', 'collecting')
        ORDER BY b.id LIMIT 1) AS "batchState",
      (SELECT count(*)::int FROM review r WHERE r.conversation_id = c.id AND r.state = 'open') AS "openReviews"
    FROM page c JOIN account a ON a.id = c.account_id ORDER BY c.sort_at DESC, c.id DESC`;
  const page = pageOf(rows, limit);
  return { items: page.items.map(summaryOf), next: page.next };
}

function summaryOf(row: Omit<Row, 'sortAt'>): ConversationSummary {
  return {
    id: row.id,
    account: { id: row.accountId, channel: row.channel, externalId: row.externalId },
    contact: { name: row.name, aliases: row.aliases },
    lastInboundAt: row.lastInboundAt,
    preview: row.preview,
    takeover: row.takenOverAt === null ? null : { by: row.takenOverBy, at: row.takenOverAt, until: row.takeoverUntil },
    batchState: row.batchState,
    openReviews: row.openReviews,
  };
}
