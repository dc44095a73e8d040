import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { run, tail } from '../../tools/parts/command.mjs';
import { Failure } from '../../tools/parts/failure.mjs';
import { at } from '../../tools/parts/paths.mjs';

/**
 * Generates the naive peer's Prisma client with the generator that oneturn uses, too, and compiles it.
 * @param {string} place a folder for it; must lie in this clone, or the client would not find its runtime.
 * @returns {Promise<string>} the URL to import it from.
 */
export async function makeNaiveClient(place) {
  const schema = join(place, 'naive.prisma');
  mkdirSync(place, { recursive: true });
  writeFileSync(schema, readFileSync(new URL('./naive.prisma', import.meta.url)));
  const { code, output } = await run(
    process.execPath,
    [at('node_modules', 'prisma', 'build', 'index.js'), 'generate', '--schema', schema],
    {
      // The generator needs no engine but insists on one: any executable satisfies it.
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
    },
  );
  if (code !== 0) throw new Failure(`prisma generate failed for the naive peer:\n${tail(output)}`);
  const source = join(place, 'generated');
  const target = join(place, 'client');
  for (const file of filesOf(source)) {
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    });
    const compiled = join(target, relative(source, file).replace(/\.ts$/, '.js'));
    mkdirSync(dirname(compiled), { recursive: true });
    writeFileSync(compiled, outputText);
  }
  writeFileSync(join(target, 'package.json'), '{"type":"module"}');
  return pathToFileURL(join(target, 'client.js')).href;
}

/** The table that the schema describes, as its first migration would make it. */
export const naiveTable = `CREATE TABLE "Message" (
  "id" BIGSERIAL PRIMARY KEY, "wamid" TEXT NOT NULL CONSTRAINT "Message_wamid_key" UNIQUE, "phone" TEXT NOT NULL,
  "type" TEXT NOT NULL, "text" TEXT, "payload" JSONB NOT NULL,
  "receivedAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP)`;

function filesOf(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesOf(path) : [path];
  });
}
