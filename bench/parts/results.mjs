import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { at, root } from '../../tools/parts/paths.mjs';

/** Writes the figures of one benchmark over the last ones. Returns a line that says where. */
export function saveResult(name, result) {
  const folder = at('bench', 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return `written to ${relative(root, file)}`;
}
