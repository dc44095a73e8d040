import { Redis } from 'ioredis';
import { withConnection } from './admin-connection.js';
import { eventually } from './eventually.js';
import { startOwnRedis } from './own-redis.js';
import { shiftDatabaseClock, testDatabase, type TestDatabase } from './test-database.js';
import { testRedis } from './test-redis.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(() => database.drop());

test('a test database has the migrations applied', async () => {
  const { rows } = await withConnection(database.url, (client) => client.query(`SELECT to_regclass('event') AS name`));
  expect(rows).toEqual([{ name: 'event' }]);
});

test('two test databases do not see each other', async () => {
  const other = await testDatabase();
  await withConnection(other.url, (client) => client.query('CREATE TABLE only_here ()'));
  const { rows } = await withConnection(database.url, (client) =>
    client.query(`SELECT to_regclass('only_here') AS name`),
  );
  await other.drop();
  expect(rows).toEqual([{ name: null }]);
});

test('the clock of a test database can be shifted and set right again', async () => {
  const ahead = async (): Promise<number> => {
    const { rows } = await withConnection(database.url, (client) =>
      client.query<{ ms: number }>(`SELECT extract(epoch FROM oneturn_now() - clock_timestamp())::float8 * 1000 AS ms`),
    );
    return rows[0]?.ms ?? NaN;
  };
  await shiftDatabaseClock(database.url, 3_600_000);
  expect(await ahead()).toBeGreaterThan(3_590_000);
  await shiftDatabaseClock(database.url, 0);
  expect(await ahead()).toBeLessThan(1_000);
});

test('the Redis of a worker is empty and usable', async () => {
  const url = await testRedis();
  if (url === null) return;
  const redis = new Redis(url);
  await redis.set('left', 'behind');
  await testRedis();
  expect(await redis.get('left')).toBeNull();
  redis.disconnect();
});

test('a Redis of its own can be killed and started again', async () => {
  const own = await startOwnRedis();
  if (own === null) return;
  const redis = new Redis(own.url, { retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  await redis.set('a', '1');
  await own.kill();
  await own.restart();
  expect(await eventually(async () => (await redis.dbsize()) === 0)).toBe(true);
  redis.disconnect();
  await own.kill();
});
