/**
 * `npm run audit`: the ledger, and every row that is unaccounted for, of DATABASE_URL or of the embedded Postgres of
 * this clone. Ends with 1 when there is any.
 */
import { databaseOfClone } from './parts/database-of-clone.mjs';
import { loadEnvFile } from './parts/env-file.mjs';
import { Failure, runTool } from './parts/failure.mjs';
import { isProgram } from './parts/paths.mjs';
import { setup } from './setup.mjs';

/** Rows that are printed; the count says how many there are. */
const shown = 200;

/** @returns {Promise<number>} how many rows are unaccounted for. */
async function audit(url, rules) {
  const { auditRows, openDatabase, readLedger } = await import('#inbox');
  const db = openDatabase({ url, poolMax: 2, applicationName: 'oneturn-audit' });
  try {
    const { rows } = await db.pool.query(`SELECT to_regclass('event') AS name`);
    if (rows[0].name === null) throw new Failure('this database has no inbox yet: npm run db:migrate makes it');
    const ledger = await readLedger(db, rules);
    printLedger(ledger);
    if (ledger.unaccounted > 0) printRows(await auditRows(db.prisma, rules, shown), ledger.unaccounted);
    else console.log('\nnothing is unaccounted for');
    return ledger.unaccounted;
  } finally {
    await db.close();
  }
}

function printLedger({ events, batches, parts, waiting }) {
  for (const [title, counts] of Object.entries({ events, batches, parts, waiting })) {
    const used = Object.entries(counts).filter(([, count]) => count > 0);
    console.log(`${title}${used.length === 0 ? '  none' : ''}`);
    for (const [name, count] of used) console.log(`  ${name.padEnd(12)} ${String(count).padStart(9)}`);
  }
}

function printRows(rows, count) {
  console.log(`\nUNACCOUNTED: ${count}`);
  for (const { kind, id, why, since } of rows) {
    console.log(`  ${kind.padEnd(12)} ${String(id).padStart(9)}  since ${since?.toISOString() ?? 'unknown'}  ${why}`);
  }
  if (count > rows.length) console.log(`  and ${count - rows.length} more`);
}

if (isProgram(import.meta.url)) {
  await runTool('audit', async () => {
    loadEnvFile();
    await setup((line) => console.error(line));
    const { readEnv } = await import('#process');
    const env = readEnv();
    const rules = { maxWaitMs: env.MAX_WAIT_MS, unknownWaitMs: env.UNKNOWN_WAIT_MS };
    const database = await databaseOfClone(env);
    try {
      return (await audit(database.url, rules)) === 0 ? 0 : 1;
    } finally {
      await database.stop();
    }
  });
}
