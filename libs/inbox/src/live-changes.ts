/** What is new since the last look, for pages that show it as it happens. */
import type { Database } from './database.js';

export interface Change {
  kind: 'event' | 'batch' | 'part' | 'review';
  id: string;
  conversationId: string | null;
  /** The event's kind, the part's author, the review's reason, the batch's state. */
  what: string;
}

/** Ids become visible in the order of commits, not of numbers: this far back is looked again. */
const LOOK_BACK = 200;

/** Follows the tables by their ids. One follower serves any number of listeners. */
export class ChangeFollower {
  /** Seen rows by kind: id → what was told of it. */
  private readonly seen = new Map<Change['kind'], Map<number, string>>();
  private readonly highest = new Map<Change['kind'], number>();

  constructor(private readonly db: Database) {}

  /** Changes since the last call, oldest ids first; the first call only finds out where to begin. */
  async next(): Promise<Change[]> {
    const begun = this.highest.size > 0;
    const floor = (kind: Change['kind']): number => (this.highest.get(kind) ?? Number.MAX_SAFE_INTEGER) - LOOK_BACK;
    const rows = begun ? await this.read(floor) : [];
    if (!begun) await this.begin();
    return rows.filter((row) => this.isNews(row));
  }

  private async begin(): Promise<void> {
    const rows = await this.db.prisma.$queryRaw<{ kind: Change['kind']; id: number }[]>`
      SELECT 'event' AS kind, coalesce(max(id), 0)::float8 AS id FROM event
      UNION ALL SELECT 'batch', coalesce(max(id), 0)::float8 FROM batch
      UNION ALL SELECT 'part', coalesce(max(id), 0)::float8 FROM part
      UNION ALL SELECT 'review', coalesce(max(id), 0)::float8 FROM review`;
    for (const row of rows) this.highest.set(row.kind, row.id);
    const known = await this.read((kind) => (this.highest.get(kind) ?? 0) - LOOK_BACK);
    for (const row of known) this.isNews(row);
  }

  private read(floor: (kind: Change['kind']) => number): Promise<Change[]> {
    return this.db.prisma.$queryRaw<Change[]>`
      (SELECT 'event' AS kind, id::text, conversation_id::text AS "conversationId", kind AS what FROM event
        WHERE id > ${floor('event')}::float8::bigint AND routed_at IS NOT NULL ORDER BY event.id LIMIT 1000)
      UNION ALL (SELECT 'batch', id::text, conversation_id::text, state FROM batch
        WHERE id > ${floor('batch')}::float8::bigint ORDER BY batch.id LIMIT 1000)
      UNION ALL (SELECT 'part', id::text, conversation_id::text, state FROM part
        WHERE id > ${floor('part')}::float8::bigint ORDER BY part.id LIMIT 1000)
      UNION ALL (SELECT 'review', id::text, conversation_id::text, reason || ' ' || state FROM review
        WHERE id > ${floor('review')}::float8::bigint ORDER BY review.id LIMIT 1000)`;
  }

  /** A row that was not seen yet, or that says something else now. */
  private isNews(row: Change): boolean {
    const seen = this.seen.get(row.kind) ?? new Map<number, string>();
    this.seen.set(row.kind, seen);
    const id = Number(row.id);
    const news = seen.get(id) !== row.what;
    seen.set(id, row.what);
    const highest = Math.max(this.highest.get(row.kind) ?? 0, id);
    this.highest.set(row.kind, highest);
    if (seen.size > 8 * LOOK_BACK) for (const old of seen.keys()) if (old <= highest - LOOK_BACK) seen.delete(old);
    return news;
  }
}
