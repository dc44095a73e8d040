/** The books: every event, batch and part by where it is, and whether anything is missing. */
import { BATCH_STATES, EVENT_OUTCOMES, PART_STATES } from '#domain';
import { countUnaccounted } from './audit-rows.js';
import type { Database, Queryable } from './database.js';
import type { AuditRules } from './unaccounted.js';

type Counts = Record<string, number>;

export interface Ledger {
  /** By final outcome; those without one by what they wait for: `routing`, `batch`, `status`. */
  events: Counts;
  batches: Counts;
  parts: Counts;
  /** Everything without a final outcome, by what it waits for. */
  waiting: Counts;
  /** Rows beyond their time, and rows that contradict each other. Anything but 0 is a defect. */
  unaccounted: number;
}

/** Counts whole tables: for a person or a test, not for every second. */
export async function readLedger(db: Database, rules: AuditRules): Promise<Ledger> {
  const events = await countEvents(db.prisma);
  const batches = await countStates(db.prisma, 'batch', BATCH_STATES);
  const parts = await countStates(db.prisma, 'part', PART_STATES);
  const waiting = await countWaiting(db.prisma);
  return { events, batches, parts, waiting, unaccounted: await countUnaccounted(db.prisma, rules, 'all') };
}

async function countEvents(db: Queryable): Promise<Counts> {
  const rows = await db.$queryRaw<{ name: string; count: number }[]>`
    SELECT CASE WHEN outcome IS NOT NULL THEN outcome WHEN routed_at IS NULL THEN 'routing' WHEN batch_id IS NOT NULL THEN 'batch'
      ELSE 'status' END AS name, count(*)::int AS count FROM event GROUP BY 1`;
  return filled([...EVENT_OUTCOMES, 'routing', 'batch', 'status'], rows);
}

async function countStates(db: Queryable, table: 'batch' | 'part', states: readonly string[]): Promise<Counts> {
  const rows =
    table === 'batch'
      ? await db.$queryRaw<
          { name: string; count: number }[]
        >`SELECT state AS name, count(*)::int AS count FROM batch GROUP BY state`
      : await db.$queryRaw<
          { name: string; count: number }[]
        >`SELECT state AS name, count(*)::int AS count FROM part GROUP BY state`;
  return filled(states, rows);
}

const WAITING = ['routing', 'window', 'turn', 'retry', 'lease', 'delivery', 'evidence', 'status', 'person'] as const;

async function countWaiting(db: Queryable): Promise<Counts> {
  const rows = await db.$queryRaw<{ name: string; count: number }[]>`
    WITH clock AS MATERIALIZED (SELECT oneturn_now() AS now)
    SELECT 'routing' AS name, count(*)::int AS count FROM event WHERE routed_at IS NULL
    UNION ALL SELECT 'window', count(*)::int FROM batch WHERE state = 'collecting' AND due_at > (SELECT now FROM clock)
    UNION ALL SELECT 'turn', count(*)::int FROM batch WHERE state = 'collecting' AND due_at <= (SELECT now FROM clock)
    UNION ALL SELECT 'turn', count(*)::int FROM batch WHERE state = 'queued'
    UNION ALL SELECT 'retry', count(*)::int FROM batch WHERE state = 'retry_wait'
    UNION ALL SELECT 'lease', count(*)::int FROM batch WHERE state = 'running'
    UNION ALL SELECT 'delivery', count(*)::int FROM part WHERE state = 'pending'
    UNION ALL SELECT 'delivery', count(*)::int FROM part WHERE state = 'sending'
    UNION ALL SELECT 'evidence', count(*)::int FROM part WHERE state = 'unknown' AND reason IS DISTINCT FROM 'in-review'
    UNION ALL SELECT 'status', count(*)::int FROM parked_status
    UNION ALL SELECT 'person', count(*)::int FROM review WHERE state = 'open'`;
  return filled(WAITING, rows);
}

/** Every name is there, also with none: a reader can tell zero from a name that does not exist. */
function filled(names: readonly string[], rows: { name: string; count: number }[]): Counts {
  const counts: Counts = Object.fromEntries(names.map((name) => [name, 0]));
  for (const { name, count } of rows) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}
