/**
 * One person's data, of DATABASE_URL or of the embedded Postgres of this clone.
 *
 *   npm run person -- export <alias>    prints everything kept of them as JSON
 *   npm run person -- erase <alias>     takes it away; the ledger keeps adding up
 *
 * The alias is a phone number as the channel writes it, or a business-scoped id.
 */
import { databaseOfClone } from './parts/database-of-clone.mjs';
import { loadEnvFile } from './parts/env-file.mjs';
import { Failure, runTool } from './parts/failure.mjs';
import { setup } from './setup.mjs';

await runTool('person', async () => {
  const [action, alias] = process.argv.slice(2);
  if (!['export', 'erase'].includes(action) || !alias)
    throw new Failure('usage: npm run person -- export|erase <alias>');
  loadEnvFile();
  await setup((line) => console.error(line));
  const { readEnv } = await import('#process');
  const { erasePerson, exportPerson, findPerson, openDatabase } = await import('#inbox');
  const database = await databaseOfClone(readEnv());
  const db = openDatabase({ url: database.url, poolMax: 2, applicationName: 'oneturn-person' });
  try {
    const ids = await findPerson(db, alias.replace(/^\+/, ''));
    if (ids.length === 0) throw new Failure(`nobody is known by ${alias}`);
    if (action === 'export') console.log(JSON.stringify(await exportPerson(db, ids), null, 2));
    else console.log(`erased ${await erasePerson(db, ids)} conversation(s)`);
    return 0;
  } finally {
    await db.close();
    await database.stop();
  }
});
