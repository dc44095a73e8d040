import { run, tail } from '../../tools/parts/command.mjs';
import { Failure } from '../../tools/parts/failure.mjs';
import { at } from '../../tools/parts/paths.mjs';

/** Brings a database to the newest schema, in a process of its own: the engine of Prisma panics when one uses it twice. */
export async function migrate(databaseUrl) {
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const { code, output } = await run(process.execPath, [at('tools', 'migrate.mjs')], { env });
  if (code !== 0) throw new Failure(`the database was not migrated:\n${tail(output)}`);
}
