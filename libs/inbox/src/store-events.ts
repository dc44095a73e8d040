/** Stores the events of many webhooks in one statement: one commit, one fsync, for all of them. */
import type { EventKind, IgnoreReason } from '#domain';
import { createHash } from 'node:crypto';
import type { Database } from './database.js';
import { isDataError } from './sql-errors.js';

export interface NewEvent {
  accountKey: string;
  externalId: string;
  /** Null for accounts that are not ours; then `ignored` says why. */
  accountId: string | null;
  kind: EventKind;
  /** Epoch ms. */
  providerAt: number | null;
  contentHash: string;
  raw: string;
  rawIsBase64: boolean;
  /** The parsed event as JSON text. */
  parsed: string;
  /** Final on arrival: nothing for a batcher to do. */
  ignored: IgnoreReason | null;
}

export interface ArrivalGroup {
  /** Random per boot of an ingest process. */
  process: string;
  /** Rises with each group of the process. */
  group: number;
}

export interface Stored {
  /** Events that were new, and of these the ones a batcher must route. */
  fresh: number;
  toRoute: number;
  duplicates: number;
  /** Rows that the database refused as data and that were stored for review instead. */
  isolated: number;
}

interface Row extends NewEvent {
  index: number;
}

/**
 * Inserts the events and resolves after the commit. The order of `events` is their order of arrival. Copies of what is
 * stored already change nothing. A row that the database refuses as data is found by halving the group and stored
 * alone, as an unreadable event; every other error rejects, and then nothing of the failing part was stored.
 */
export async function storeEvents(db: Database, events: NewEvent[], arrival: ArrivalGroup): Promise<Stored> {
  // Sorted by key: two processes that store the same webhooks in opposite orders would deadlock.
  const rows = events.map((event, index) => ({ ...event, index })).sort(byKey);
  return storeRows(db, rows, arrival);
}

function byKey(a: Row, b: Row): number {
  if (a.accountKey !== b.accountKey) return a.accountKey < b.accountKey ? -1 : 1;
  if (a.externalId !== b.externalId) return a.externalId < b.externalId ? -1 : 1;
  return a.index - b.index;
}

async function storeRows(db: Database, rows: Row[], arrival: ArrivalGroup): Promise<Stored> {
  try {
    return await insertRows(db, rows, arrival);
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (rows.length === 1) return insertIsolated(db, rows[0] as Row, arrival, error);
    const half = Math.ceil(rows.length / 2);
    const left = await storeRows(db, rows.slice(0, half), arrival);
    const right = await storeRows(db, rows.slice(half), arrival);
    return add(left, right);
  }
}

function add(a: Stored, b: Stored): Stored {
  return {
    fresh: a.fresh + b.fresh,
    toRoute: a.toRoute + b.toRoute,
    duplicates: a.duplicates + b.duplicates,
    isolated: a.isolated + b.isolated,
  };
}

/**
 * Between the values of a column. JSON text holds no bare control character, so it is in no value; a value that has it
 * all the same makes its column longer than that of the hashes, which the database refuses (null in content_hash).
 */
const BETWEEN = '\u001f';

/**
 * Prepared once per connection, as `store-events`. Each column comes as one text and is cut here: an array would have
 * every quote of the JSON texts escaped by the client and unescaped by the server, at more cost than all else together.
 * The empty text stands for null. Which rows were new is told only when not all were: a row for each costs as much as
 * its index.
 */
const INSERT = `
    WITH clock AS MATERIALIZED (SELECT oneturn_now() AS at), stored AS (
    INSERT INTO event (account_key, external_id, account_id, kind, provider_at, arrived_at,
      arrival_process, arrival_group, arrival_index, content_hash, raw, parsed, routed_at, outcome, reason, outcome_at)
    SELECT account_key, external_id, account_id::bigint, kind, from_epoch_ms(provider_at::float8), clock.at,
      $1, $2::bigint, index::int, content_hash,
      CASE WHEN is_base64 = 't' THEN decode(coalesce(raw, ''), 'base64') ELSE convert_to(coalesce(raw, ''), 'UTF8') END,
      parsed::jsonb, CASE WHEN ignored IS NOT NULL THEN clock.at END, CASE WHEN ignored IS NOT NULL THEN 'ignored' END, ignored,
      CASE WHEN ignored IS NOT NULL THEN clock.at END
    FROM clock, unnest(${Array.from({ length: 11 }, (_, n) => `string_to_array($${n + 3}::text, E'\\x1f', '')`).join(', ')})
      AS row (account_key, external_id, account_id, kind, provider_at, content_hash, raw, is_base64, parsed, ignored, index)
    ON CONFLICT (account_key, external_id) DO NOTHING
    RETURNING arrival_index)
    SELECT CASE WHEN count(*) < $14::int THEN coalesce(array_agg(arrival_index), '{}') END AS indexes FROM stored`;

async function insertRows(db: Database, rows: Row[], arrival: ArrivalGroup): Promise<Stored> {
  const column = (value: (row: Row) => string): string => rows.map(value).join(BETWEEN);
  // Plain pg, prepared: here Prisma costs the process as much as all the rest of a webhook (bench/ingest).
  const { rows: answer } = await db.pool.query<{ indexes: number[] | null }>({
    name: 'store-events',
    text: INSERT,
    values: [
      arrival.process,
      arrival.group,
      column((row) => row.accountKey),
      column((row) => row.externalId),
      column((row) => row.accountId ?? ''),
      column((row) => row.kind),
      column((row) => (row.providerAt === null ? '' : String(row.providerAt))),
      column((row) => row.contentHash),
      column((row) => row.raw),
      column((row) => (row.rawIsBase64 ? 't' : 'f')),
      column((row) => row.parsed),
      column((row) => row.ignored ?? ''),
      column((row) => String(row.index)),
      rows.length,
    ],
  });
  const inserted = answer[0]?.indexes && new Set(answer[0].indexes);
  const fresh = inserted ? rows.filter((row) => inserted.has(row.index)) : rows;
  const copies = inserted ? rows.filter((row) => !inserted.has(row.index)) : [];
  if (copies.length > 0) await storeVariants(db, copies);
  return {
    fresh: fresh.length,
    toRoute: fresh.filter((row) => row.ignored === null).length,
    duplicates: copies.length,
    isolated: 0,
  };
}

/** Same id, other content: the first one stands, the other is kept for people to look at. */
async function storeVariants(db: Database, copies: Row[]): Promise<void> {
  await db.prisma.$executeRaw`
    INSERT INTO event_variant (account_key, external_id, content_hash, raw, arrived_at)
    SELECT DISTINCT ON (row.account_key, row.external_id, row.content_hash) row.account_key, row.external_id,
      row.content_hash, CASE WHEN is_base64 THEN decode(row.raw, 'base64') ELSE convert_to(row.raw, 'UTF8') END, oneturn_now()
    FROM unnest(${copies.map((c) => c.accountKey)}::text[], ${copies.map((c) => c.externalId)}::text[],
      ${copies.map((c) => c.contentHash)}::text[], ${copies.map((c) => c.raw)}::text[],
      ${copies.map((c) => c.rawIsBase64)}::bool[]) AS row (account_key, external_id, content_hash, raw, is_base64)
    JOIN event USING (account_key, external_id)
    WHERE event.content_hash <> row.content_hash
    ORDER BY row.account_key, row.external_id, row.content_hash
    ON CONFLICT DO NOTHING`;
}

async function insertIsolated(db: Database, row: Row, arrival: ArrivalGroup, cause: unknown): Promise<Stored> {
  const bytes = Buffer.from(row.raw, row.rawIsBase64 ? 'base64' : 'utf8');
  const why = `the database refused this item: ${cause instanceof Error ? lastLine(cause.message) : 'data error'}`;
  const stored = await insertRows(
    db,
    [
      {
        ...row,
        accountKey: row.accountKey.replaceAll(/[\0\u001f]/g, '\ufffd').slice(0, 200),
        externalId: `sha256:${createHash('sha256').update(row.externalId).update('\n').update(bytes).digest('hex')}`,
        kind: 'unreadable',
        providerAt: null,
        contentHash: createHash('sha256').update(bytes).digest('hex'),
        raw: bytes.toString('base64'),
        rawIsBase64: true,
        parsed: JSON.stringify({ kind: 'unreadable', why: why.replaceAll('\0', '') }),
      },
    ],
    arrival,
  );
  return { ...stored, isolated: 1 };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
