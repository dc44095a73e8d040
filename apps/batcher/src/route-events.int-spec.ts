import { eventually, testDatabase, testRedis, type TestDatabase } from '#testing';
import { said, startBatcher, stored, type BatcherKit } from '../specs/batcher-kit.js';

let database: TestDatabase;
let kit: BatcherKit;

beforeAll(async () => {
  database = await testDatabase();
  kit = await startBatcher(database.url, await testRedis());
});
afterEach(() => kit.sql('TRUNCATE event, batch, part, review, conversation, contact_alias, turn, model_step CASCADE'));
afterAll(async () => {
  await kit.close();
  await database.drop();
});

interface Row {
  id: string;
  outcome: string | null;
  reason: string | null;
  batched: boolean;
}
const routed = (count: number) =>
  eventually(async () => {
    const rows = await kit.sql<Row>(
      `SELECT external_id AS id, outcome, reason, batch_id IS NOT NULL AS batched FROM event
       WHERE routed_at IS NOT NULL ORDER BY external_id`,
    );
    return rows.length === count ? rows : null;
  });

const sender = { aliases: [], name: null };

it.each<[string, object]>([
  ['names no chat where one should be', { kind: 'message', chat: null }],
  [
    'names its sender in a way that no row can hold',
    {
      kind: 'message',
      chat: { groupId: null, threadId: null, sender: { ...sender, aliases: [{ kind: null, value: null }] } },
    },
  ],
  ['says nothing where text should be', { kind: 'message', chat: { groupId: 'g', threadId: null, sender } }],
])('an event that %s: a person looks at it, and its neighbours go their way', async (_, poison) => {
  const neighbours = Array.from({ length: 8 }, (_row, n) => said(`n${n}`, `1555010000${n % 4}`));
  await kit.store(...neighbours.slice(0, 4), stored('poison', poison), ...neighbours.slice(4));
  const rows = await routed(9);
  expect(rows.at(-1)).toMatchObject({ id: 'poison', outcome: 'review', reason: 'unreadable', batched: false });
  expect(rows.slice(0, -1)).toEqual(
    neighbours.map(({ externalId: id }) => ({ id, outcome: null, reason: null, batched: true })),
  );
  const cases = await kit.sql(
    `SELECT r.reason, e.external_id AS event FROM review r JOIN event e ON e.id = r.event_id WHERE state = 'open'`,
  );
  expect(cases).toEqual([{ reason: 'unreadable', event: 'poison' }]);
  expect(kit.lines.filter((line) => line['event'] === 'review-opened' || line['msg'] === 'review-opened')).not.toEqual(
    [],
  );
  // The next ones are not held up by it.
  await kit.store(said('later', '15550100009'));
  expect((await routed(10)).find(({ id }) => id === 'later')).toMatchObject({ batched: true });
});

it('more than one group: all of them are routed, in one batch per person', async () => {
  const people = 30;
  const events = Array.from({ length: 450 }, (_, n) => said(`m${n}`, `155502${10000 + (n % people)}`));
  await kit.store(...events);
  expect((await routed(450)).every(({ batched }) => batched)).toBe(true);
  expect(await kit.sql(`SELECT FROM batch WHERE state = 'collecting'`)).toHaveLength(people);
});

it('a database that goes away for a moment costs nothing but the moment', async () => {
  await kit.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'oneturn-batcher'`,
  );
  await kit.store(said('m1', '15550100001'), said('m2', '15550100001'));
  expect(await routed(2)).toMatchObject([{ batched: true }, { batched: true }]);
  expect(await kit.sql('SELECT FROM review')).toEqual([]);
});
