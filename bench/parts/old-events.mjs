import { account } from './envelope.mjs';

/** Rows of one statement: one large statement would keep all its log in memory and on disk at once. */
const step = 500_000;

/**
 * Fills the table of events with what a business has had in the last weeks: one message to three statuses, all of them
 * done with. Written without its indexes, which are built afterwards as a bulk load would.
 * @param {{rows: Function}} postgres
 * @param {{count: number, firstConversation?: number, conversations?: number}} what the events belong, one after the
 *   other, to `conversations` of them from that id on; 0: to none.
 */
export async function insertOldEvents(postgres, database, { count, firstConversation = 1, conversations = 0 }, say) {
  if (count === 0) return;
  const since = Date.now();
  const indexes = await postgres.rows(
    database,
    `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'event' AND indexname <> 'event_pkey'`,
  );
  for (const { indexname } of indexes) await postgres.rows(database, `DROP INDEX "${indexname}"`);
  for (let from = 0; from < count; from += step) {
    const values = [from, Math.min(from + step, count), conversations, firstConversation];
    await postgres.rows(database, insert, values);
  }
  for (const { indexdef } of indexes) await postgres.rows(database, indexdef);
  await postgres.rows(database, 'VACUUM (ANALYZE) event');
  await postgres.rows(database, 'CHECKPOINT');
  say(`${count.toLocaleString('en-US')} old events made in ${((Date.now() - since) / 1000).toFixed(0)} s`);
}

/** md5 spreads the ids over the index as real ones are spread; negative batches are nobody's, whatever is made later. */
const insert = `
  INSERT INTO event (account_key, external_id, account_id, kind, provider_at, arrived_at, arrival_process, arrival_group,
    arrival_index, content_hash, raw, parsed, conversation_id, thread, batch_id, routed_at, outcome, outcome_at)
  SELECT 'whatsapp:${account.phoneNumberId}', row.external_id, 1, row.kind, row.at, row.at, 'old', row.n, 0, row.hash,
    convert_to(row.raw, 'UTF8'), row.parsed::jsonb, row.conversation, 'main', CASE row.kind WHEN 'message' THEN -1 - row.n END,
    row.at, CASE row.kind WHEN 'message' THEN 'in_batch' ELSE 'applied' END, row.at
  FROM (SELECT n, hash, at, conversation,
      CASE WHEN n % 4 = 0 THEN 'message' ELSE 'status' END AS kind,
      CASE WHEN n % 4 = 0 THEN 'wamid.HBgL' || hash ELSE 'wamid.HBgL' || hash || ':read:15550100000' END AS external_id,
      '{"id":"wamid.HBgL' || hash || '","from":"15550100000","type":"text","timestamp":"1796040090","text":{"body":"' || said || '"}}' AS raw,
      '{"kind":"message","chat":{"sender":{"aliases":[{"kind":"phone","value":"15550100000"}]},"groupId":null,"threadId":null},' ||
      '"speech":{"type":"text","text":"' || said || '","media":null,"details":null}}' AS parsed
    FROM (SELECT n, md5('old' || n || ':' || $4::bigint) AS hash, now() - interval '1 day' - (n % 5000000) * interval '1 second' AS at,
      CASE WHEN $3::bigint > 0 THEN $4::bigint + n % greatest($3::bigint, 1) END AS conversation,
      'Could the treatment of last week be moved to the afternoon? ' || n AS said
      FROM generate_series($1::bigint, $2::bigint - 1) AS n) AS seed) AS row`;
