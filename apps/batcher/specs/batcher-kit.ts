/** A batcher at work on a database, and events for it, for its specs. */
import type { ParsedEvent } from '#domain';
import { openDatabase, storeEvents, type Database, type NewEvent } from '#inbox';
import { bootApp, createLogger, readEnv, type RunningApp } from '#process';
import { batcherApp } from '../src/app.js';

export interface BatcherKit {
  app: RunningApp;
  db: Database;
  /** What it has logged, one parsed line each. */
  lines: Record<string, unknown>[];
  store(...events: NewEvent[]): Promise<void>;
  sql<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
  close(): Promise<void>;
}

export async function startBatcher(url: string, redis: string | null): Promise<BatcherKit> {
  const db = openDatabase({ url, poolMax: 4, applicationName: 'spec' });
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('spec', 'info', { write: (line) => void lines.push(JSON.parse(line) as never) });
  const env = readEnv({
    DATABASE_URL: url,
    ...(redis === null ? {} : { REDIS_URL: redis }),
    BATCHER_PORT: '0',
    SWEEP_MS: '20',
    UNKNOWN_WAIT_MS: '0',
    WHATSAPP_PHONE_NUMBER_ID: '1',
    WHATSAPP_ACCESS_TOKEN: 't',
    WHATSAPP_APP_SECRET: 's',
  });
  const app = await bootApp({ ...batcherApp(env), env, log });
  let group = 0;
  return {
    app,
    db,
    lines,
    store: async (...events) => void (await storeEvents(db, events, { process: 'ingest', group: group++ })),
    sql: async <T extends object>(text: string, values: unknown[] = []) =>
      (await db.pool.query(text, values)).rows as T[],
    close: async () => {
      await app.drain();
      await app.close();
      await db.close();
    },
  };
}

export function stored(externalId: string, parsed: ParsedEvent | object, kind: NewEvent['kind'] = 'message'): NewEvent {
  return {
    ...{ accountKey: 'whatsapp:1', accountId: '1', externalId, kind, providerAt: null, contentHash: externalId },
    ...{ raw: externalId, rawIsBase64: false, parsed: JSON.stringify(parsed), ignored: null },
  };
}

export const said = (externalId: string, phone: string): NewEvent =>
  stored(externalId, {
    kind: 'message',
    chat: { groupId: null, threadId: null, sender: { aliases: [{ kind: 'phone', value: phone }], name: null } },
    speech: { type: 'text', text: externalId, media: null, details: null },
    replyTo: null,
  });
