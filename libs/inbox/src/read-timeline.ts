/** Everything about one conversation, for the person who looks at it. */
import type { Database } from './database.js';
import { isRowId } from './row-id.js';
import { readTimelineEvents, type TimelineEvent, type TimelineMessage } from './timeline-events.js';
import { readBatches, readParts, readTurns, type BatchView, type PartView, type TurnView } from './timeline-work.js';
import { listReviews, type ReviewView } from './list-reviews.js';

export interface Timeline {
  conversation: {
    id: string;
    account: { id: string; channel: string; externalId: string };
    contact: { name: string | null; aliases: { kind: string; value: string }[] };
    lastInboundAt: Date | null;
    operatorAt: Date | null;
    takeover: { by: string | null; at: Date; until: Date | null } | null;
    /** Messages that wait for a turn. */
    queueDepth: number;
  };
  /** What the customer and the business's own phone wrote, oldest first. */
  messages: TimelineMessage[];
  /** Everything else that the channel told us of this conversation. */
  events: TimelineEvent[];
  batches: BatchView[];
  turns: TurnView[];
  /** What was sent, by the assistant and by people. */
  parts: PartView[];
  reviews: ReviewView[];
  /** Ask with `before` set to this for what was earlier; null: there is nothing. */
  next: string | null;
}

interface Head {
  id: string;
  ids: string[];
  accountId: string;
  channel: string;
  externalId: string;
  name: string | null;
  aliases: { kind: string; value: string }[];
  lastInboundAt: Date | null;
  operatorAt: Date | null;
  takenOverBy: string | null;
  takenOverAt: Date | null;
  takeoverUntil: Date | null;
  queueDepth: number;
}

/**
 * The latest `limit` events, and the latest batches and parts up to as many.
 * @param before an event id of an earlier answer's `next`.
 * @returns null when there is no such conversation.
 */
export async function readTimeline(
  db: Database,
  conversationId: string,
  limit: number,
  before: string | null,
): Promise<Timeline | null> {
  const head = isRowId(conversationId) ? await readHead(db, conversationId) : undefined;
  if (!head) return null;
  const { ids } = head;
  const page = await readTimelineEvents(db, ids, limit, before);
  const batches = await readBatches(db, ids, limit);
  const turns = await readTurns(
    db,
    batches.map((batch) => batch.id),
  );
  const parts = await readParts(db, ids, limit);
  const reviews = await listReviews(db, { state: 'all', conversationId: head.id }, limit, null);
  const conversation: Timeline['conversation'] = {
    id: head.id,
    account: { id: head.accountId, channel: head.channel, externalId: head.externalId },
    contact: { name: head.name, aliases: head.aliases },
    lastInboundAt: head.lastInboundAt,
    operatorAt: head.operatorAt,
    queueDepth: head.queueDepth,
    takeover:
      head.takenOverAt === null ? null : { by: head.takenOverBy, at: head.takenOverAt, until: head.takeoverUntil },
  };
  const { messages, events, next } = page;
  return { conversation, messages, events, batches, turns, parts, reviews: reviews.items, next };
}

/** `ids`: the conversation and those that were merged into it. */
async function readHead(db: Database, conversationId: string): Promise<Head | undefined> {
  const rows = await db.prisma.$queryRaw<Head[]>`
    SELECT c.id::text, a.id::text AS "accountId", a.channel, a.external_id AS "externalId", c.name,
      ARRAY(SELECT m.id::text FROM conversation m WHERE m.id = c.id OR m.merged_into_id = c.id) AS ids,
      coalesce((SELECT jsonb_agg(jsonb_build_object('kind', kind, 'value', value) ORDER BY kind, value)
        FROM contact_alias ca WHERE ca.conversation_id = c.id), '[]') AS aliases,
      c.last_inbound_at AS "lastInboundAt", c.operator_at AS "operatorAt", c.taken_over_by AS "takenOverBy",
      c.taken_over_at AS "takenOverAt", c.takeover_until AS "takeoverUntil",
      (SELECT count(*)::int FROM batch b JOIN event e ON e.batch_id = b.id AND e.outcome IS NULL
        WHERE b.conversation_id = c.id AND b.state IN ('collecting', 'queued')) AS "queueDepth"
    FROM conversation asked JOIN conversation c ON c.id = coalesce(asked.merged_into_id, asked.id)
      JOIN account a ON a.id = c.account_id
    WHERE asked.id = ${conversationId}::bigint`;
  return rows[0];
}
