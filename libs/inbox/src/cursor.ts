/** Where a page of a list ended: the sort time and the id of its last row. */
import { isRowId } from './row-id.js';

export interface Cursor {
  /** Epoch ms. */
  at: number;
  id: string;
}

export interface Page<T> {
  items: T[];
  /** What to ask for the next page with; null: this was the last one. */
  next: string | null;
}

/** Null for a text that is no cursor of ours. */
export function readCursor(text: string): Cursor | null {
  const match = /^(\d{1,15})_(\d{1,18})$/.exec(text);
  return match && isRowId(match[2] as string) ? { at: Number(match[1]), id: match[2] as string } : null;
}

/** `rows`: one more than asked for, when there is one. */
export function pageOf<R extends { sortAt: number; id: string }>(rows: R[], limit: number): Page<Omit<R, 'sortAt'>> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last ? `${last.sortAt}_${last.id}` : null;
  return { items: shown.map(({ sortAt: _sortAt, ...item }) => item), next };
}
