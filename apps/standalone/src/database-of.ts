/** Postgres for standalone: the one that is named, or the embedded one, which it then owns. */
import type { Env, Log } from '#process';

export interface OwnedDatabase {
  url: string;
  stop(): Promise<void>;
}

interface Tools {
  startEmbeddedPostgres(): Promise<{ url: string; dataDir: string; adopted: boolean; stop(): Promise<void> }>;
  applyMigrations(url: string): Promise<string[]>;
}

/** Run alone without DATABASE_URL, standalone starts and migrates the database of `npm start` and stops it at its end. */
export async function databaseOf(env: Readonly<Env>, log: Log): Promise<OwnedDatabase> {
  if (env.DATABASE_URL !== undefined) return { url: env.DATABASE_URL, stop: () => Promise.resolve() };
  const tools = await loadTools();
  const postgres = await tools.startEmbeddedPostgres();
  await tools.applyMigrations(postgres.url);
  log.info({ dataDir: postgres.dataDir }, 'started the embedded Postgres');
  // One that ran already belongs to whoever started it.
  return { url: postgres.url, stop: () => (postgres.adopted ? Promise.resolve() : postgres.stop()) };
}

/** The same scripts that npm start uses; from dist/apps/standalone they are three folders up. */
async function loadTools(): Promise<Tools> {
  const tools = new URL('../../../tools/', import.meta.url);
  const [postgres, migrate] = await Promise.all([
    import(new URL('embedded-postgres.mjs', tools).href) as Promise<Pick<Tools, 'startEmbeddedPostgres'>>,
    import(new URL('migrate.mjs', tools).href) as Promise<Pick<Tools, 'applyMigrations'>>,
  ]);
  return { ...postgres, ...migrate };
}
