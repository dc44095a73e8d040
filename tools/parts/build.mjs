import { existsSync, rmSync } from 'node:fs';
import { bundleServices } from './bundle.mjs';
import { run, tail } from './command.mjs';
import { Failure } from './failure.mjs';
import { at } from './paths.mjs';
import { filesBelow, hashFiles, readStamp, writeStamp } from './stamp.mjs';

const client = at('libs', 'inbox', 'src', 'generated');
const schemaStamp = at('dist', '.stamps', 'schema');
const sourceStamp = at('dist', '.stamps', 'sources');
const schemaFiles = () => [
  ...filesBelow([at('prisma')], (file) => file.endsWith('.prisma')),
  ...filesBelow([at('prisma.config.ts'), at('node_modules', 'prisma', 'package.json')]),
];
/** What dist/ follows from, besides the bundler's own settings. The lock file: packages are in the bundles. */
const compiled = ['apps', 'libs', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json'];
const sourceFiles = () =>
  filesBelow(
    [...compiled.map((name) => at(name)), at('tools', 'parts', 'bundle.mjs')],
    (file) => /\.(ts|tsx|mjs|json)$/.test(file) && !/spec\.tsx?$/.test(file) && !file.includes('/payloads/'),
  );

/** Generates the Prisma client when the schema changed since the last time. */
export async function generateClient(say) {
  const schema = schemaFiles();
  if (!schema.some((file) => file.endsWith('.prisma'))) throw new Failure('prisma/schema.prisma is missing');
  const wanted = hashFiles(schema);
  if (readStamp(schemaStamp) === wanted && existsSync(client)) return;
  say('generating the database client ...');
  const { code, output } = await run(
    process.execPath,
    [at('node_modules', 'prisma', 'build', 'index.js'), 'generate'],
    {
      env: {
        ...process.env,
        // The generator needs no engine but insists on one and would download it: any executable satisfies it.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
  if (code !== 0) throw new Failure(`prisma generate failed:\n${tail(output)}`);
  writeStamp(schemaStamp, wanted);
}

/** Compiles all projects to dist/ and bundles the services when a source changed since the last time. */
export async function buildProjects(say) {
  const wanted = hashFiles(sourceFiles());
  if (readStamp(sourceStamp) === wanted) return;
  say('building ...');
  rmSync(sourceStamp, { force: true });
  const { code, output } = await run(process.execPath, [at('node_modules', 'typescript', 'bin', 'tsc'), '-b']);
  if (code !== 0) throw new Failure(`the build failed:\n${tail(output, 40)}`);
  await bundleServices();
  writeStamp(sourceStamp, wanted);
}
