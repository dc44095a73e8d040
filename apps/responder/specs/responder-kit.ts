/** A responder at work on a database, with batches for it, for its specs. */
import { openDatabase, type Database } from '#inbox';
import { bootApp, createLogger, readEnv, type RunningApp } from '#process';
import { responderApp } from '../src/app.js';

export interface ResponderKit {
  app: RunningApp;
  db: Database;
  sql<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
  /** A batch with these texts of a new person, due now; null: a broken row, and an old one. Resolves to the batch's id. */
  due(texts: (string | null)[], accountId?: string): Promise<string>;
  close(): Promise<void>;
}

export async function startResponder(
  url: string,
  redis: string | null,
  peers: { assistantUrl: string; channelUrl: string },
): Promise<ResponderKit> {
  const db = openDatabase({ url, poolMax: 4, applicationName: 'spec' });
  const env = readEnv({
    DATABASE_URL: url,
    ...(redis === null ? {} : { REDIS_URL: redis }),
    ...{ RESPONDER_PORT: '0', SWEEP_MS: '20', PART_GAP_MS: '0', SHUTDOWN_GRACE_MS: '1000' },
    ...{ LEASE_MS: '60000', LEASE_RENEW_MS: '50', TURN_MAX_MS: '3000', MAX_ATTEMPTS: '2', RETRY_BASE_MS: '50' },
    ...{ AI_MODEL: 'http', ASSISTANT_URL: peers.assistantUrl, ASSISTANT_SECRET: 's' },
    ...{ WHATSAPP_PHONE_NUMBER_ID: '1', WHATSAPP_ACCESS_TOKEN: 't', WHATSAPP_APP_SECRET: 's' },
    WHATSAPP_API_URL: peers.channelUrl,
  });
  const app = await bootApp({ ...responderApp(env), env, log: createLogger('spec', 'silent') });
  const sql = async <T extends object>(text: string, values: unknown[] = []) =>
    (await db.pool.query(text, values)).rows as T[];
  let count = 0;
  return {
    app,
    db,
    sql,
    due: async (texts, accountId = '1') => {
      const rows = await sql<{ id: string }>(
        `WITH who AS (
           INSERT INTO conversation (account_id, lock_key, phone, last_inbound_at) VALUES ($3, $1, $1, oneturn_now()) RETURNING id
         ), made AS (
           INSERT INTO batch (conversation_id, thread, state, first_at, last_at, due_at)
           SELECT id, 'main', 'collecting', n, n, n FROM who, oneturn_now() n RETURNING id, conversation_id
         ), said AS (
           INSERT INTO event (account_key, external_id, account_id, kind, provider_at, arrived_at, arrival_process, arrival_group, arrival_index,
             content_hash, raw, parsed, conversation_id, thread, batch_id, routed_at)
           SELECT 'whatsapp:' || $3, $1 || '-' || t.index, $3::bigint, 'message', CASE WHEN t.text IS NULL THEN now() - interval '1 day' END, oneturn_now(), 'p', 1, t.index, '', '',
             jsonb_build_object('kind', 'message') || CASE WHEN t.text IS NULL THEN '{}'
               ELSE jsonb_build_object('speech', jsonb_build_object('type', 'text', 'text', t.text)) END,
             conversation_id, 'main', made.id, oneturn_now()
           FROM made, unnest($2::text[]) WITH ORDINALITY AS t (text, index)
         ) SELECT id::text FROM made`,
        [`1555010${1000 + ++count}`, texts, accountId],
      );
      return rows[0]!.id;
    },
    close: async () => {
      await app.drain();
      await app.close();
      await db.close();
    },
  };
}
