import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { at } from './paths.mjs';

/**
 * Prisma's migration engine, as the WebAssembly build that comes by npm: the native one would have to be downloaded.
 * A process that used it should end with process.exit, because Prisma's pool keeps it alive for another 10 s.
 * @param {string} url the database; migrations are applied to it and to nothing else. Never ask this engine for
 *   anything that needs a shadow database: it would take this one.
 */
export async function schemaEngine(url) {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const { PrismaPg } = await import('@prisma/adapter-pg');
  const { bindMigrationAwareSqlAdapterFactory } = await import('@prisma/driver-adapter-utils');
  const code = fileURLToPath(import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg')).replace(
    /\.js$/,
    '.wasm',
  );
  const module = new WebAssembly.Module(readFileSync(code));
  const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  const schema = at('prisma', 'schema.prisma');
  const adapter = bindMigrationAwareSqlAdapterFactory(withWholeScripts(new PrismaPg({ connectionString: url })));
  return bindings.SchemaEngine.new({ datamodels: [[schema, readFileSync(schema, 'utf8')]] }, () => {}, adapter);
}

/**
 * Prisma's adapter cuts a script at every semicolon, also those in comments, strings and function bodies. Postgres can
 * take a script as a whole, and then runs it as one transaction: a failed migration leaves nothing half done.
 */
function withWholeScripts(factory) {
  const connect = factory.connect.bind(factory);
  factory.connect = async () => {
    const adapter = await connect();
    adapter.executeScript = async (script) => {
      try {
        await adapter.client.query(script);
      } catch (error) {
        adapter.onError(error);
      }
    };
    return adapter;
  };
  factory.connectToShadowDb = () => Promise.reject(new Error('this engine must not be given a shadow database'));
  return factory;
}
