import { readFileSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { run } from './command.mjs';
import { root } from './paths.mjs';
import { filesBelow } from './stamp.mjs';

const usual = /\b(registry\.[\w-]+\.[a-z]{2,}|npm\.pkg\.[\w.-]+|[\w-]+\.pkg\.dev|registry\s*=\s*http)/i;
const largest = 5_000_000;
const notOurs = new Set(['node_modules', 'dist', '.data', '.nx', '.git', 'coverage', 'generated', '.env']);

/**
 * Files that name the host of a package registry: whoever clones must be free to use their own.
 * @returns {Promise<string[]>} `file: host`.
 */
export async function namedRegistries() {
  const own = new URL((await run('npm', ['config', 'get', 'registry'])).output.trim()).hostname;
  const found = [];
  for (const file of filesBelow([root], undefined, notOurs)) {
    if (statSync(file).size > largest) continue;
    const text = readFileSync(file, 'utf8');
    const host = usual.exec(text)?.[0] ?? (text.includes(own) ? own : undefined);
    if (host !== undefined) found.push(`${relative(root, file)}: ${host}`);
  }
  return found;
}
