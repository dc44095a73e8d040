/** Statements by the service that sent them: each service signs in as a role of its own. */

const roleOf = (service) => `bench_${service}`;
const password = 'bench';

/** Superusers, because the services look at what only such may see of other sessions. */
export async function makeRoles(postgres, services) {
  await postgres.rows('postgres', 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  for (const service of services)
    await postgres.rows('postgres', `CREATE ROLE ${roleOf(service)} LOGIN SUPERUSER PASSWORD '${password}'`);
}

export function urlOfRole(databaseUrl, service) {
  const url = new URL(databaseUrl);
  url.username = roleOf(service);
  url.password = password;
  return url.href;
}

export const forgetStatements = (postgres) => postgres.rows('postgres', 'SELECT pg_stat_statements_reset()');

/** @returns {Promise<{service: string, query: string, calls: number, buffers: number, ms: number}[]>} */
export function statementsByService(postgres) {
  return postgres.rows(
    'postgres',
    `SELECT substr(rolname, ${roleOf('').length + 1}) AS service, query, calls::float8,
       (shared_blks_hit + shared_blks_read)::float8 AS buffers, total_exec_time AS ms
     FROM pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid WHERE rolname LIKE '${roleOf('')}%'`,
  );
}
