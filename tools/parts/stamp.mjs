import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './paths.mjs';

/** All files at or below the paths that `keep` accepts, sorted; entries named in `without` are left out with all below. */
export function filesBelow(paths, keep = () => true, without = new Set()) {
  const found = [];
  const visit = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && keep(path)) found.push(path);
    if (!stat?.isDirectory()) return;
    for (const name of readdirSync(path)) {
      if (!without.has(name)) visit(join(path, name));
    }
  };
  for (const path of paths) visit(path);
  return found.sort();
}

/** A hash over names and contents. Contents, because a checkout changes the times of files that did not change. */
export function hashFiles(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** What a stamp file says, or '' when there is none. */
export function readStamp(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Writes a stamp file, and its folder when missing. */
export function writeStamp(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${value}\n`);
}
