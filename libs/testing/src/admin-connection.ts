import { Client } from 'pg';

/**
 * The Postgres that the test command started for this run, with the right to create databases.
 * @throws when a spec is run without it.
 */
export function adminUrl(): string {
  const url = process.env['ONETURN_TEST_DATABASE_URL'];
  if (!url) {
    throw new Error(
      'no Postgres for tests: use `npm test -- <path>`, or set what `node tools/test-services.mjs` prints',
    );
  }
  return url;
}

/** The same server, another database. */
export function urlOfDatabase(name: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs `work` on one connection and closes it. */
export async function withConnection<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  // Without a listener, a connection that the server ends (a test that kills it) would end this process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
