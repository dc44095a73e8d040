/** Writes what the router decided: batches first, then the events that join them, then the conversations' news. */
import type { Placement, Strategy } from '#domain';
import type { Tx } from './database.js';
import { insertQueued } from './insert-queued.js';
import type { BatchToBe } from './place-chat-event.js';
import type { WaitingMessage } from './read-overlap.js';
import type { UnroutedEvent } from './take-unrouted.js';

export interface Placed {
  row: UnroutedEvent;
  accountId: string | null;
  conversationId: string | null;
  thread: string | null;
  /** Key of the collecting batch that it joins, when it joins one. */
  slot: string | null;
  placement: Placement<WaitingMessage> | { kind: 'parked' } | { kind: 'superseded'; reason: string };
  /** For messages: the strategy of their chat. */
  strategy?: Strategy;
  /** The first message of its batch. */
  opens: boolean;
  why?: string;
}

export interface TouchedBatch {
  id: string;
  conversationId: string;
  /** Epoch ms. */
  dueAt: number;
  /** It has no delayed job yet: the caller arms one for `dueAt` once the transaction is committed. */
  arm: boolean;
}

/** `toBe`: the batches by slot, as they are to be. Resolves to what was written of them, by slot. */
export async function writePlacements(
  tx: Tx,
  placed: Placed[],
  toBe: Map<string, BatchToBe>,
  now: number,
): Promise<Map<string, TouchedBatch>> {
  const joining = placed.filter((one) => one.placement.kind === 'batch');
  const batches = await writeBatches(tx, joining, toBe);
  for (const one of await insertQueued(tx, toBe)) batches.set(one.slot, one);
  await writeEvents(tx, placed, batches, now);
  await writeConversations(tx, placed);
  return batches;
}

async function writeBatches(
  tx: Tx,
  joining: Placed[],
  toBe: Map<string, BatchToBe>,
): Promise<Map<string, TouchedBatch>> {
  const touched = new Map<string, TouchedBatch>();
  const slots = [...new Set(joining.map((one) => one.slot as string))];
  const all = slots.map((slot) => ({ slot, batch: toBe.get(slot) as BatchToBe }));
  const fresh = all.filter(({ batch }) => batch.id === undefined);
  const known = all.filter(({ batch }) => batch.id !== undefined);
  if (fresh.length > 0) {
    // Armed from the start: the job is added right after the commit, and the sweeps look at due_at alone.
    const rows = await tx.$queryRaw<{ id: string; conversationId: string; thread: string }[]>`
      INSERT INTO batch (conversation_id, thread, lock, state, first_at, last_at, due_at, armed_until)
      SELECT conversation_id, thread, lock, 'collecting', from_epoch_ms(first_at), from_epoch_ms(last_at), from_epoch_ms(due_at), from_epoch_ms(due_at)
      FROM unnest(${fresh.map(({ batch }) => batch.conversationId)}::bigint[], ${fresh.map(({ batch }) => batch.thread)}::text[],
        ${fresh.map(({ batch }) => batch.lock)}::text[],
        ${fresh.map(({ batch }) => batch.firstAt)}::float8[], ${fresh.map(({ batch }) => batch.lastAt)}::float8[],
        ${fresh.map(({ batch }) => batch.dueAt)}::float8[]) AS row (conversation_id, thread, lock, first_at, last_at, due_at)
      RETURNING id::text, conversation_id::text AS "conversationId", thread`;
    const ids = new Map(rows.map((row) => [`${row.conversationId}\n${row.thread}`, row.id]));
    for (const { slot, batch } of fresh) {
      const id = ids.get(`${batch.conversationId}\n${batch.thread}`) as string;
      touched.set(slot, { id, conversationId: batch.conversationId, dueAt: batch.dueAt, arm: true });
    }
  }
  if (known.length > 0) {
    await tx.$executeRaw`
      UPDATE batch SET first_at = from_epoch_ms(row.first_at), last_at = from_epoch_ms(row.last_at), due_at = from_epoch_ms(row.due_at)
      FROM unnest(${known.map(({ batch }) => batch.id as string)}::bigint[], ${known.map(({ batch }) => batch.firstAt)}::float8[],
        ${known.map(({ batch }) => batch.lastAt)}::float8[], ${known.map(({ batch }) => batch.dueAt)}::float8[])
        AS row (id, first_at, last_at, due_at)
      WHERE batch.id = row.id`;
    for (const { slot, batch } of known) {
      const { conversationId, dueAt } = batch;
      touched.set(slot, { id: batch.id as string, conversationId, dueAt, arm: false });
    }
  }
  return touched;
}

async function writeEvents(tx: Tx, placed: Placed[], batches: Map<string, TouchedBatch>, now: number): Promise<void> {
  const outcomes = placed.map(outcomeOf);
  await tx.$executeRaw`
    UPDATE event SET routed_at = from_epoch_ms(${now}), conversation_id = row.conversation_id, thread = row.thread,
      batch_id = row.batch_id, outcome = row.outcome, reason = row.reason,
      outcome_at = CASE WHEN row.outcome IS NOT NULL THEN from_epoch_ms(${now}) END
    FROM unnest(${placed.map((one) => one.row.id)}::bigint[], ${placed.map((one) => one.conversationId)}::bigint[],
      ${placed.map((one) => one.thread)}::text[],
      ${placed.map((one) => batchOf(one, batches))}::bigint[],
      ${outcomes.map((o) => o.outcome)}::text[], ${outcomes.map((o) => o.reason)}::text[])
      AS row (id, conversation_id, thread, batch_id, outcome, reason)
    WHERE event.id = row.id`;
}

/** Also that of a message which its batch let go again: it is seen there, and no part of the turn's history. */
function batchOf({ placement, slot }: Placed, batches: Map<string, TouchedBatch>): string | null {
  const joins = ['batch', 'dispatch', 'superseded', 'dropped'].includes(placement.kind);
  return joins && slot !== null ? (batches.get(slot)?.id ?? null) : null;
}

/** Null outcome: still on its way (in a collecting batch until the seal, or parked). */
function outcomeOf({ placement }: Placed): { outcome: string | null; reason: string | null } {
  switch (placement.kind) {
    case 'batch':
    case 'dispatch':
    case 'parked':
      return { outcome: null, reason: null };
    case 'takeover':
      return { outcome: 'applied', reason: 'takeover' };
    case 'ignored':
    case 'dropped':
    case 'superseded':
    case 'review':
      return { outcome: placement.kind, reason: placement.reason };
    case 'human':
    case 'applied':
      return { outcome: placement.kind, reason: null };
  }
}

/** The latest inbound message opens the service window and is what a read mark names; names and addresses follow it. */
async function writeConversations(tx: Tx, placed: Placed[]): Promise<void> {
  const said = placed.flatMap((one) => {
    const { event } = one.row;
    if (event.kind !== 'message' && event.kind !== 'unsupported') return [];
    if (one.conversationId === null) return [];
    const alias = (kind: string): string | null =>
      event.chat.sender.aliases.find((a) => a.kind === kind)?.value ?? null;
    return [
      {
        id: one.conversationId,
        at: Math.min(one.row.providerAt ?? one.row.arrivedAt, one.row.arrivedAt),
        externalId: one.row.externalId,
        name: event.chat.sender.name,
        phone: event.chat.groupId === null ? alias('phone') : null,
        userId: event.chat.groupId === null ? alias('user') : null,
        position: one.row.position,
      },
    ];
  });
  if (said.length === 0) return;
  await tx.$executeRaw`
    UPDATE conversation SET
      last_inbound_id = CASE WHEN last_inbound_at IS NULL OR last_inbound_at <= from_epoch_ms(row.at) THEN row.external_id ELSE last_inbound_id END,
      last_inbound_at = greatest(last_inbound_at, from_epoch_ms(row.at)),
      name = coalesce(row.name, conversation.name), phone = coalesce(row.phone, conversation.phone),
      user_id = coalesce(row.user_id, conversation.user_id)
    FROM (
      SELECT DISTINCT ON (id) id, at, external_id, name, phone, user_id
      FROM unnest(${said.map((s) => s.id)}::bigint[], ${said.map((s) => s.at)}::float8[], ${said.map((s) => s.externalId)}::text[],
        ${said.map((s) => s.name)}::text[], ${said.map((s) => s.phone)}::text[], ${said.map((s) => s.userId)}::text[],
        ${said.map((s) => s.position)}::float8[]) AS said (id, at, external_id, name, phone, user_id, position)
      ORDER BY id, at DESC, position DESC
    ) AS row
    WHERE conversation.id = row.id`;
}
