import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this clone. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A path below the root of the clone. */
export const at = (...parts) => join(root, ...parts);

/** The folder for everything that a run keeps and git does not. */
export const dataFolder = at('.data');

/** Whether the module with this URL is the program that was started, and not imported by another. */
export function isProgram(url) {
  const started = process.argv[1];
  return started !== undefined && existsSync(started) && realpathSync(started) === realpathSync(fileURLToPath(url));
}
