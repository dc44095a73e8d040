import { openDatabase, type Database } from '#inbox';
import type { RunningApp } from '#process';
import { adminUrl, eventually, testDatabase, testRedis, withConnection, type TestDatabase } from '#testing';
import { bootIngest, change, envelope, OURS, post, storedEvents, text } from '../specs/ingest-kit.js';

let database: TestDatabase;
let db: Database;
let app: RunningApp;

beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolMax: 3, applicationName: 'spec' });
});
afterEach(async () => {
  await app.close();
  await db.close();
  await database.drop();
});

async function boot(more: Record<string, string> = {}): Promise<void> {
  app = await bootIngest(database.url, await testRedis(), more);
  await eventually(async () => (await fetch(`${app.url}/health/ready`)).ok);
}
const stored = () => storedEvents(db);

describe('when it cannot store', () => {
  it('too many in flight: 503 with Retry-After, and the one before is stored', async () => {
    await boot({ MAX_IN_FLIGHT: '1' });
    const other = await db.pool.connect();
    await other.query('BEGIN; LOCK TABLE event');
    const first = post(app, envelope(change(OURS, text('m1')))).then((answer) => answer);
    await eventually(async () => {
      const waiting = await db.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.rowCount === 1;
    });
    const second = await post(app, envelope(change(OURS, text('m2'))));
    expect([second.status, second.headers['retry-after']]).toEqual([503, '5']);
    await other.query('COMMIT');
    other.release();
    expect((await first).status).toBe(200);
    expect((await stored()).map(({ id }) => id)).toEqual(['m1']);
  });

  it('Postgres is away: 503 with Retry-After; the channel’s next try is stored once', async () => {
    await boot();
    const body = envelope(change(OURS, text('m1')));
    const admin = (statement: string) => withConnection(adminUrl(), (client) => client.query(statement));
    await db.close();
    await admin(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS false`);
    await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`);
    for (let n = 0; n < 3; n++) {
      const answer = await post(app, body);
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    }
    // Who knows no secret learns nothing of the outage.
    expect((await post(app, body, 'sha256=00')).status).toBe(403);
    await admin(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS true`);
    await eventually(async () => (await post(app, body)).status === 200);
    db = openDatabase({ url: database.url, poolMax: 3, applicationName: 'spec' });
    expect((await stored()).map(({ id }) => id)).toEqual(['m1']);
  });

  it('a lost Redis changes nothing', async () => {
    await boot({ REDIS_URL: 'redis://127.0.0.1:1' });
    expect((await post(app, envelope(change(OURS, text('m1'))))).status).toBe(200);
    expect(await stored()).toHaveLength(1);
  });
});
