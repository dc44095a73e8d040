/** Messages that got a turn of their own at once: one sealed batch each, which waits for a responder only. */
import type { Tx } from './database.js';
import type { BatchToBe } from './place-chat-event.js';
import type { TouchedBatch } from './write-placements.js';

/** Those of the batches that are `queued` and new; due already, so that no delayed job is needed. */
export async function insertQueued(tx: Tx, toBe: Map<string, BatchToBe>): Promise<(TouchedBatch & { slot: string })[]> {
  const fresh = [...toBe].filter(([, batch]) => batch.state === 'queued' && batch.id === undefined);
  if (fresh.length === 0) return [];
  // Several of one conversation and thread: only a known id tells which row is whose.
  const ids = await tx.$queryRaw<{ id: string }[]>`
    SELECT nextval('batch_id_seq')::text AS id FROM generate_series(1, ${fresh.length}::int)`;
  const rows = fresh.map(([slot, batch], at) => ({ slot, ...batch, id: (ids[at] as { id: string }).id }));
  await tx.$executeRaw`
    INSERT INTO batch (id, conversation_id, thread, lock, slots, state, first_at, last_at, due_at)
    SELECT id, conversation_id, thread, lock, slots, 'queued', from_epoch_ms(at), from_epoch_ms(at), from_epoch_ms(at)
    FROM unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.conversationId)}::bigint[],
      ${rows.map((row) => row.thread)}::text[], ${rows.map((row) => row.lock)}::text[], ${rows.map((row) => row.slots)}::int[],
      ${rows.map((row) => row.firstAt)}::float8[]) AS row (id, conversation_id, thread, lock, slots, at)`;
  return rows.map(({ slot, id, conversationId, dueAt }) => ({ slot, id, conversationId, dueAt, arm: false }));
}
