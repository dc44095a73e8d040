/** An ingest process and what posts to it, for its specs. */
import { createHmac } from 'node:crypto';
import type { Database } from '#inbox';
import { bootApp, createLogger, readEnv, type RunningApp } from '#process';
import request from 'supertest';
import { ingestApp } from '../src/app.js';

export const OURS = '106540352242922';
export const THEIRS = '206540352242922';
/** The accounts' secrets: ours is being rotated. */
export const SECRETS = { ours: 'new-secret', before: 'old-secret', theirs: 'their-secret' };
export const LIMIT = 64 * 1024;

const log = createLogger('spec', 'silent');

export async function bootIngest(
  url: string,
  redis: string | null,
  more: Record<string, string> = {},
): Promise<RunningApp> {
  const env = readEnv({
    DATABASE_URL: url,
    ...(redis === null ? {} : { REDIS_URL: redis }),
    INGEST_PORT: '0',
    BODY_LIMIT_BYTES: String(LIMIT),
    WHATSAPP_PHONE_NUMBER_ID: OURS,
    WHATSAPP_ACCESS_TOKEN: 'token',
    WHATSAPP_APP_SECRET: `${SECRETS.ours},${SECRETS.before}`,
    WHATSAPP_VERIFY_TOKEN: 'verify-me',
    ...more,
  });
  return bootApp({ ...ingestApp(env), env, log });
}

/** A second tenant, whose account is a row. */
export async function addTheirAccount(db: Database): Promise<void> {
  await db.pool.query(`INSERT INTO tenant (name) VALUES ('Other')`);
  await db.pool.query(
    `INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
     VALUES (1, 'whatsapp:' || $1::text, 'whatsapp', $1::text, 't', ARRAY[$2::text], 'http://127.0.0.1', 'v1')`,
    [THEIRS, SECRETS.theirs],
  );
}

export const text = (id: string, body = 'hi') => ({
  ...{ id, from: '15550100001', timestamp: '1796000000', type: 'text', text: { body } },
});

export const change = (phoneNumberId: string, ...messages: object[]) => ({
  field: 'messages',
  value: { messaging_product: 'whatsapp', metadata: { phone_number_id: phoneNumberId }, messages },
});

export const envelope = (...changes: object[]): string =>
  JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: 'waba', changes }] });

export const sign = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Posts at once; `signature` null sends none. */
export async function post(app: RunningApp, body: string, signature: string | null = sign(body, SECRETS.ours)) {
  const posted = request(app.url).post('/webhooks/whatsapp').set('content-type', 'application/json');
  if (signature !== null) void posted.set('x-hub-signature-256', signature);
  return posted.send(body);
}

export interface StoredRow {
  key: string;
  id: string;
  kind: string;
  account: string | null;
  outcome: string | null;
  reason: string | null;
}

export async function storedEvents(db: Database): Promise<StoredRow[]> {
  const { rows } = await db.pool.query<StoredRow>(
    `SELECT account_key AS key, external_id AS id, kind, account_id::text AS account, outcome, reason FROM event ORDER BY external_id`,
  );
  return rows;
}
