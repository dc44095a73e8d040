import { eventually, testDatabase, testRedis, type TestDatabase } from '#testing';
import { startBatcher, stored, type BatcherKit } from '../specs/batcher-kit.js';

let database: TestDatabase;
let kit: BatcherKit;

beforeAll(async () => {
  database = await testDatabase();
  kit = await startBatcher(database.url, await testRedis());
  await eventually(async () => (await kit.sql('SELECT FROM account')).length === 1);
  await kit.sql(`INSERT INTO conversation (account_id, lock_key) VALUES (1, 'person:1')`);
});
afterAll(async () => {
  await kit.close();
  await database.drop();
});

const part = async (state: string, more = ''): Promise<string> => {
  const rows = await kit.sql<{ id: string }>(
    `INSERT INTO part (conversation_id, thread, reply, index, author, text, state, attempts, holder, lease_until, created_at, provider_id)
     VALUES (1, 'main', nextval('reply_order'), 0, 'assistant', 'text', $1, 1, 'gone', oneturn_now(), oneturn_now(), nullif($2, ''))
     RETURNING id::text`,
    [state, more],
  );
  return rows[0]!.id;
};

it('finds parts whose sender vanished, and asks a person about them', async () => {
  const id = await part('sending');
  const [row] = await eventually(async () => {
    const rows = await kit.sql(
      `SELECT p.state, r.reason FROM part p JOIN review r ON r.part_id = p.id WHERE p.id = $1`,
      [id],
    );
    return rows.length > 0 && rows;
  });
  expect(row).toEqual({ state: 'unknown', reason: 'unknown-send' });
});

it('gives parked statuses back to the router when their part has appeared', async () => {
  const status = {
    kind: 'status',
    status: 'read',
    name: 'read',
    providerId: 'w1',
    tracker: null,
    recipient: null,
    error: null,
  };
  await kit.store(stored('s1', status, 'status'));
  await eventually(async () => (await kit.sql('SELECT FROM parked_status')).length === 1);
  const id = await part('accepted', 'w1');
  await eventually(async () => (await kit.sql(`SELECT FROM part WHERE id = $1 AND state = 'read'`, [id])).length === 1);
  expect(await kit.sql(`SELECT outcome FROM event WHERE external_id = 's1'`)).toEqual([{ outcome: 'applied' }]);
});

it('ends takeovers whose time is over', async () => {
  await kit.sql('UPDATE conversation SET taken_over_at = oneturn_now(), takeover_until = oneturn_now()');
  await eventually(async () => (await kit.sql('SELECT FROM conversation WHERE taken_over_at IS NULL')).length === 1);
});
