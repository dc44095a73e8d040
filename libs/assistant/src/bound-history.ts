import type { HistoryEntry } from '#domain';

/** A common rule of thumb for Latin scripts; good enough for a budget, and the same for every model. */
const CHARS_PER_TOKEN = 4;

/** The newest entries whose estimated tokens fit into `budget`, still oldest first. An entry is kept whole or not at all. */
export function boundHistory(history: HistoryEntry[], budget: number): HistoryEntry[] {
  let left = budget;
  let from = history.length;
  for (let i = history.length - 1; i >= 0; i--) {
    left -= Math.ceil((history[i]?.text.length ?? 0) / CHARS_PER_TOKEN);
    if (left < 0) break;
    from = i;
  }
  return history.slice(from);
}
