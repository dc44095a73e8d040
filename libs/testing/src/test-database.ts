import { randomBytes } from 'node:crypto';
import { adminUrl, urlOfDatabase, withConnection } from './admin-connection.js';
import { databaseTemplate } from './database-template.js';

export interface TestDatabase {
  url: string;
  name: string;
  /** Removes it, and ends the connections that are still open. */
  drop(): Promise<void>;
}

/** A fresh, migrated database of its own for one test file; about 60 ms. */
export async function testDatabase(): Promise<TestDatabase> {
  const template = await databaseTemplate();
  const name = `oneturn_test_${randomBytes(6).toString('hex')}`;
  await withConnection(adminUrl(), (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return {
    url: urlOfDatabase(name),
    name,
    drop: async () => {
      await withConnection(adminUrl(), (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/**
 * Shifts the one clock of a test database, so that windows, leases and ages pass without waiting.
 * @param offsetMs how far ahead of real time the database believes to be; 0 is real time again.
 */
export async function shiftDatabaseClock(url: string, offsetMs: number): Promise<void> {
  if (!Number.isInteger(offsetMs)) throw new Error(`not a whole number of milliseconds: ${offsetMs}`);
  await withConnection(url, (client) =>
    client.query(`CREATE OR REPLACE FUNCTION oneturn_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS
      'SELECT date_trunc(''milliseconds'', clock_timestamp() + ${offsetMs} * interval ''1 millisecond'')'`),
  );
}
