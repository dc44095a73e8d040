/** Which of the ready batches may be claimed together: as many of one lock as it may have turns, the longest waiting first. */
import type { BatchFacts } from './claim-turns.js';
import { locksConflict } from './read-overlap.js';

/**
 * Two threads of one conversation, or two that were merged, share one turn unless their locks say otherwise. Each that
 * is taken is given a free place; a batch that has had an attempt keeps its own. The day's turns of those before it in
 * the same conversation are counted in.
 */
export function inTheirTurn(batches: BatchFacts[]): BatchFacts[] {
  const taken: BatchFacts[] = [];
  for (const batch of [...batches].sort((a, b) => a.readyAt - b.readyAt || Number(a.id) - Number(b.id))) {
    const before = taken.filter((one) => one.rootId === batch.rootId);
    const under = before.filter((one) => locksConflict(one.lock, batch.lock));
    const slot = freeSlot(batch, under);
    if (slot === null) continue;
    taken.push({ ...batch, slot, turnsToday: batch.turnsToday + before.length });
  }
  return taken;
}

function freeSlot(batch: BatchFacts, under: BatchFacts[]): number | null {
  if (batch.slots === 1) return under.length === 0 ? batch.slot : null;
  if (under.some((one) => one.slots === 1)) return null;
  if (batch.state !== 'queued') return batch.slot;
  const used = new Set([...batch.takenSlots, ...under.map((one) => one.slot)]);
  // Taken by a turn under another policy: it counts, whatever its number.
  if (batch.takenSlots.length + under.length >= batch.slots) return null;
  let slot = 0;
  while (used.has(slot)) slot += 1;
  return slot;
}
