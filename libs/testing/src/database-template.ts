import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { adminUrl, urlOfDatabase, withConnection } from './admin-connection.js';
import { repositoryRoot } from './repository-root.js';

const lockKey = 7_166_002;
let ready: Promise<string> | undefined;

/** The name of a database with all migrations applied. Made once per server and set of migrations, then only copied. */
export function databaseTemplate(): Promise<string> {
  ready ??= withConnection(adminUrl(), makeTemplate);
  return ready;
}

async function makeTemplate(client: Client): Promise<string> {
  const name = `oneturn_template_${hashOfMigrations()}`;
  // Jest's workers ask at the same moment; the lock goes with the connection.
  await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rowCount !== 0) return name;
  const draft = `${name}_draft`;
  await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${draft}`);
  await promisify(execFile)(process.execPath, [join(repositoryRoot, 'tools', 'migrate.mjs')], {
    cwd: repositoryRoot,
    env: { ...process.env, DATABASE_URL: urlOfDatabase(draft) },
  });
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  return name;
}

function hashOfMigrations(): string {
  const folder = join(repositoryRoot, 'prisma', 'migrations');
  const hash = createHash('sha256');
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory()) hash.update(entry.name).update(readFileSync(join(folder, entry.name, 'migration.sql')));
  }
  return hash.digest('hex').slice(0, 12);
}
