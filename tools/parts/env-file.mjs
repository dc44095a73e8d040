import { existsSync, readFileSync } from 'node:fs';
import { at } from './paths.mjs';

/**
 * Reads NAME=value lines. Blank lines and lines that begin with # are skipped, `export ` is allowed, a value may stand
 * in single or double quotes, and in a bare value a # after a space begins a comment. Nothing is expanded.
 */
export function parseEnv(text) {
  const values = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line);
    if (match === null) continue;
    const [, name, raw] = match;
    const quoted = /^(["'])(.*)\1\s*(?:#.*)?$/.exec(raw);
    values[name] = quoted ? quoted[2] : raw.replace(/(^|\s+)#.*$/, '');
  }
  return values;
}

/** Adds what .env says to the environment of this process; what is already set there wins. */
export function loadEnvFile(file = at('.env'), env = process.env) {
  if (!existsSync(file)) return;
  for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8')))) env[name] ??= value;
}
