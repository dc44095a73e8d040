// Prints the SQL that leads from one schema file to another (or from nothing): the body of a new migration.
// Usage: DATABASE_URL=… node tools/new-migration.mjs [old.prisma] new.prisma. The engine wants a live server to connect to
// but runs nothing on it: a diff against the server itself, or through a shadow database, would run migrations on it.
import { readFileSync } from 'node:fs';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPg } from '@prisma/adapter-pg';

globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) };

async function schemaEngine(schemaPath) {
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = readFileSync(
    new URL('../node_modules/@prisma/schema-engine-wasm/schema_engine_bg.wasm', import.meta.url),
  );
  const instance = new WebAssembly.Instance(new WebAssembly.Module(wasm), { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  const factory = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: process.env.DATABASE_URL }));
  return glue.SchemaEngine.new({ datamodels: [[schemaPath, readFileSync(schemaPath, 'utf8')]] }, () => {}, factory);
}

const files = process.argv.slice(2);
const side = (path) =>
  path ? { tag: 'schemaDatamodel', files: [{ path, content: readFileSync(path, 'utf8') }] } : { tag: 'empty' };
const engine = await schemaEngine(files.at(-1));
const result = await engine.diff({
  from: side(files.length > 1 ? files[0] : undefined),
  to: side(files.at(-1)),
  script: true,
  shadowDatabaseUrl: null,
  exitCode: null,
  filters: { externalTables: [], externalEnums: [] },
});
process.stdout.write(result.stdout ?? JSON.stringify(result));
process.exit(0);
