/**
 * Makes conversations of the people `from` to `to` (not included), known by phone and by business-scoped id, idle since
 * two days. The account must be there: the first service to start writes it.
 */
export async function insertConversations(postgres, database, from, to, say) {
  const since = Date.now();
  await postgres.rows(database, insert, [from, to]);
  await postgres.rows(database, 'VACUUM (ANALYZE) conversation, contact_alias');
  say(`${(to - from).toLocaleString('en-US')} conversations made in ${((Date.now() - since) / 1000).toFixed(0)} s`);
}

/** As `person` in envelope.mjs names them. */
const insert = `
  WITH made AS (
    INSERT INTO conversation (account_id, lock_key, name, phone, user_id, last_inbound_at)
    SELECT (SELECT min(id) FROM account), 'person:bench-' || n, 'Ana Ferro ' || n, (15550100000 + n)::text,
      'US.4021190337746' || lpad(n::text, 7, '0'), now() - interval '2 days'
    FROM generate_series($1::bigint, $2::bigint - 1) AS n
    RETURNING id, account_id, phone, user_id)
  INSERT INTO contact_alias (account_id, kind, value, conversation_id)
  SELECT account_id, 'phone', phone, id FROM made UNION ALL SELECT account_id, 'user', user_id, id FROM made`;
