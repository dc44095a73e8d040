import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { at, root } from '../../tools/parts/paths.mjs';

/** Writes the figures of one benchmark over the last ones, formatted as the check wants it. Resolves to a line that says where. */
export async function saveResult(name, result) {
  const folder = at('bench', 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, await format(JSON.stringify(result), { ...(await resolveConfig(file)), filepath: file }));
  return `written to ${relative(root, file)}`;
}

/** Writes the plot of one benchmark over the last one. Answers with a line that says where. */
export function savePlot(name, svg) {
  const file = join(at('bench', 'results'), `${name}.svg`);
  writeFileSync(file, svg);
  return `drawn in ${relative(root, file)}`;
}
