/**
 * `npm run db:migrate`: applies prisma/migrations to DATABASE_URL, or to the embedded Postgres of this clone. Anyone who
 * has Prisma's own engine can use `prisma migrate deploy` on the same folder.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { loadEnvFile } from './parts/env-file.mjs';
import { Failure, runTool } from './parts/failure.mjs';
import { migrationList, readMigrations } from './parts/migrations.mjs';
import { isProgram } from './parts/paths.mjs';
import { schemaEngine } from './parts/schema-engine.mjs';

const startingMs = 30_000;
/** Any number that nothing else uses as an advisory lock; the lock is per database. */
const lockKey = 7_166_001;
/** Not there yet: no listener, no name, still starting or recovering. */
const notYet = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', '57P03', '57P01']);

/**
 * Applies the migrations that this database does not have. Waits for a database that is still starting and for
 * another process that migrates.
 * @param {string} url a postgresql:// address.
 * @returns {Promise<string[]>} the names of those applied now.
 * @throws {Failure} when a migration fails or an applied one was edited since.
 */
export async function applyMigrations(url) {
  const client = await connect(url);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    const migrations = readMigrations();
    const pending = await pendingMigrations(client, migrations);
    if (pending.length === 0) return [];
    const engine = await schemaEngine(url);
    const filters = { externalTables: [], externalEnums: [] };
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: migrationList(migrations),
      filters,
    });
    return appliedMigrationNames;
  } catch (error) {
    await forgetFailure(client);
    throw error instanceof Failure ? error : new Failure(`the migration failed: ${reason(error)}`);
  } finally {
    await client.end();
  }
}

/** Reads Prisma's own table. Loading the engine costs a second, and most starts have nothing to apply. */
async function pendingMigrations(client, migrations) {
  const { rows: tables } = await client.query(`SELECT to_regclass('_prisma_migrations') AS name`);
  if (tables[0].name === null) return migrations;
  const { rows } = await client.query(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const edited = migrations.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
  if (edited) throw new Failure(`migration ${edited.name} was edited after it had been applied to this database`);
  return migrations.filter(({ name }) => !applied.has(name));
}

/**
 * A script runs as one transaction, so a failed one has changed nothing; without its row in Prisma's table, the next
 * run tries it again instead of refusing until somebody repairs the table by hand.
 */
async function forgetFailure(client) {
  await client
    .query('DELETE FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL')
    .catch(() => {});
}

async function connect(url) {
  const { default: pg } = await import('pg');
  for (const deadline = Date.now() + startingMs; ; await delay(250)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      const starting = notYet.has(error.code) || error.errors?.some(({ code }) => notYet.has(code));
      if (!starting || Date.now() > deadline) throw new Failure(`the database cannot be reached: ${reason(error)}`);
    }
  }
}

/** The engine's errors end with a trace of its own source, which helps nobody here. */
const reason = (error) =>
  (error.errors?.[0]?.message ?? (error.message || error.code || String(error))).split(/\n\s+0: /)[0].trim();

if (isProgram(import.meta.url)) {
  await runTool('db:migrate', async () => {
    loadEnvFile();
    let url = process.env.DATABASE_URL;
    let stop = async () => {};
    if (!url) {
      const { startEmbeddedPostgres } = await import('./embedded-postgres.mjs');
      const embedded = await startEmbeddedPostgres();
      url = embedded.url;
      // One that was found running belongs to somebody.
      if (!embedded.adopted) stop = () => embedded.stop();
    }
    try {
      const applied = await applyMigrations(url);
      console.log(applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`);
    } finally {
      await stop();
    }
  });
}
