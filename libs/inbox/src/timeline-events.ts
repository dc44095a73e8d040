/** What a channel told us of a conversation, with edits, deletions and reactions shown at the message they mean. */
import type { Json } from '#domain';
import type { Database } from './database.js';
import { fateOf } from './message-fate.js';

export interface TimelineMessage {
  id: string;
  /** The channel's id. */
  externalId: string;
  /** message, unsupported, or echo: written on the business's own phone. */
  kind: string;
  type: string;
  text: string;
  thread: string | null;
  /** When it was said (the channel's time), and when it was stored. */
  at: Date;
  arrivedAt: Date;
  batchId: string | null;
  /** What became of it; null: still on its way. */
  outcome: string | null;
  reason: string | null;
  /** What became of it in words, e.g. `waited 6 s, joined batch 12`. */
  fate: string;
  replyTo: string | null;
  edits: { text: string; at: Date }[];
  deletedAt: Date | null;
  reactions: { emoji: string | null; at: Date }[];
}

export interface TimelineEvent {
  id: string;
  externalId: string;
  kind: string;
  at: Date;
  outcome: string | null;
  reason: string | null;
  /** The message that it is about. */
  targetId: string | null;
  text: string | null;
}

interface Row {
  id: string;
  externalId: string;
  kind: string;
  at: Date;
  arrivedAt: Date;
  thread: string | null;
  batchId: string | null;
  outcome: string | null;
  reason: string | null;
  type: string | null;
  text: string | null;
  targetId: string | null;
  replyTo: string | null;
  emoji: string | null;
  error: Json;
  outcomeAt: Date | null;
}

export interface EventPage {
  messages: TimelineMessage[];
  events: TimelineEvent[];
  next: string | null;
}

const MESSAGE_KINDS = new Set(['message', 'unsupported', 'echo']);

export async function readTimelineEvents(
  db: Database,
  conversationIds: string[],
  limit: number,
  before: string | null,
): Promise<EventPage> {
  const found = await db.prisma.$queryRaw<Row[]>`
    SELECT id::text, external_id AS "externalId", kind, least(coalesce(provider_at, arrived_at), arrived_at) AS at,
      arrived_at AS "arrivedAt", thread, batch_id::text AS "batchId", outcome, reason,
      coalesce(parsed #>> '{speech,type}', parsed ->> 'what', parsed ->> 'name') AS type,
      coalesce(parsed #>> '{speech,text}', parsed ->> 'text') AS text,
      coalesce(parsed ->> 'targetId', parsed ->> 'providerId') AS "targetId", parsed ->> 'replyTo' AS "replyTo",
      parsed ->> 'emoji' AS emoji, parsed -> 'error' AS error, outcome_at AS "outcomeAt"
    FROM event WHERE conversation_id = ANY(${conversationIds}::bigint[]) AND (${before}::bigint IS NULL OR id < ${before}::bigint)
    ORDER BY event.id DESC LIMIT ${limit + 1}::int`;
  const rows = found.slice(0, limit).reverse();
  const about = new Map<string, Row[]>();
  for (const row of rows) {
    if (row.targetId !== null) about.set(row.targetId, [...(about.get(row.targetId) ?? []), row]);
  }
  return {
    messages: rows
      .filter((row) => MESSAGE_KINDS.has(row.kind))
      .map((row) => message(row, about.get(row.externalId) ?? [])),
    events: rows.filter((row) => !MESSAGE_KINDS.has(row.kind)).map(event),
    next: found.length > limit ? (rows[0]?.id ?? null) : null,
  };
}

function message(row: Row, about: Row[]): TimelineMessage {
  const { id, externalId, kind, thread, at, arrivedAt, batchId, outcome, reason, replyTo } = row;
  const edits = about
    .filter((other) => other.kind === 'edit')
    .map((other) => ({ text: other.text ?? '', at: other.at }));
  const deletedAt = about.find((other) => other.kind === 'deletion')?.at ?? null;
  const reactions = about
    .filter((other) => other.kind === 'reaction')
    .map((other) => ({ emoji: other.emoji, at: other.at }));
  const said = { type: row.type ?? kind, text: row.text ?? '', at, arrivedAt };
  return {
    id,
    externalId,
    kind,
    thread,
    ...said,
    batchId,
    outcome,
    reason,
    fate: fateOf(row),
    replyTo,
    edits,
    deletedAt,
    reactions,
  };
}

function event(row: Row): TimelineEvent {
  const { id, externalId, kind, at, outcome, reason, targetId } = row;
  return { id, externalId, kind, at, outcome, reason, targetId, text: row.text ?? row.emoji ?? row.type };
}
