import { mkdtempSync, rmSync, writeFileSync, readFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { applyMigrations } from './migrate.mjs';
import { livePostmaster } from './parts/postmaster.mjs';

const folder = mkdtempSync(join(tmpdir(), 'embedded-'));
chmodSync(folder, 0o755);
const dataDir = join(folder, 'postgres');
const start = () => startEmbeddedPostgres({ dataDir });
let postgres;

beforeAll(async () => {
  postgres = await start();
}, 60_000);

afterAll(async () => {
  await postgres.stop('immediate');
  rmSync(folder, { recursive: true, force: true });
});

async function query(sql) {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a second start adopts what runs', async () => {
  const again = await start();
  expect(again).toMatchObject({ adopted: true, pid: postgres.pid, port: postgres.port, url: postgres.url });
});

test('it is durable, speaks UTF-8, and lower-cases beyond ASCII', async () => {
  const [row] = await query(`SELECT current_setting('fsync') AS fsync, lower('ÄÉ') AS lower, 'a' < 'B' AS linguistic`);
  expect(row).toEqual({ fsync: 'on', lower: 'äé', linguistic: false });
});

test('without the password nobody gets in', async () => {
  const url = new URL(postgres.url);
  url.password = 'wrong';
  await expect(new pg.Client({ connectionString: url.href }).connect()).rejects.toThrow(
    'password authentication failed',
  );
});

test('after a kill it starts again on the same port with what was committed', async () => {
  await query('CREATE TABLE kept AS SELECT 1 AS a');
  process.kill(postgres.pid, 'SIGKILL');
  const before = postgres;
  postgres = await start();
  expect(postgres).toMatchObject({ adopted: false, port: before.port });
  expect(await query('SELECT a FROM kept')).toEqual([{ a: 1 }]);
  await query('DROP TABLE kept');
}, 60_000);

test('another program that has the id of a killed postmaster is not taken for it', async () => {
  await postgres.stop('immediate');
  const stale = [process.pid, dataDir, 0, postgres.port, '', '127.0.0.1', '', 'ready   '];
  writeFileSync(join(dataDir, 'postmaster.pid'), stale.join('\n'));
  expect(livePostmaster(dataDir)).toBeNull();
  postgres = await start();
  expect(postgres.adopted).toBe(false);
  expect(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8')).toMatch(new RegExp(`^${postgres.pid}\n`));
}, 60_000);

test('an edited migration is refused, and an unedited one is not applied again', async () => {
  expect((await applyMigrations(postgres.url)).length).toBeGreaterThan(0);
  expect(await applyMigrations(postgres.url)).toEqual([]);
  await query(`UPDATE _prisma_migrations SET checksum = 'other'`);
  await expect(applyMigrations(postgres.url)).rejects.toThrow('was edited');
}, 60_000);
