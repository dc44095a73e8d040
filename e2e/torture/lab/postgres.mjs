/** A Postgres of the run's own, which crashes and comes back, and the auditor's connection to it. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../tools/embedded-postgres.mjs';
import { applyMigrations } from '../../../tools/migrate.mjs';

/** @param {string} folder an empty folder that the database user can reach. */
export async function startPostgres(folder) {
  const options = {
    dataDir: `${folder}/postgres`,
    // Durable across every kill of a process; only a power cut would lose something, and none is played here.
    settings: { fsync: 'off', full_page_writes: 'off', max_connections: '300' },
  };
  let server = await startEmbeddedPostgres(options);
  const { url, port } = server;
  await applyMigrations(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    application_name: 'torture',
    connectionTimeoutMillis: 2_000,
  });
  pool.on('error', () => {});
  return {
    url,
    /** Rows, or null while the database is away. */
    ask: (sql, values = []) =>
      pool.query(sql, values).then(
        ({ rows }) => rows,
        () => null,
      ),
    /** Rows; waits for a database that is away. */
    async rows(sql, values = [], withinMs = 30_000) {
      for (const deadline = Date.now() + withinMs; ; await delay(200)) {
        try {
          return (await pool.query(sql, values)).rows;
        } catch (error) {
          if (Date.now() > deadline || /^(42|22)/.test(error.code ?? '')) throw error;
        }
      }
    },
    /** Ends every backend at once, without a checkpoint; the next start recovers from the log. */
    async crash() {
      await server.stop('immediate');
    },
    async restart() {
      server = await startEmbeddedPostgres({ ...options, port });
    },
    async stop() {
      await pool.end().catch(() => {});
      await server.stop('immediate');
    },
  };
}
