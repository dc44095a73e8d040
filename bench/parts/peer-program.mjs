import { fileURLToPath } from 'node:url';
import { account } from './envelope.mjs';

/** A program of `peers/`, for startServer. */
export function peerProgram(name, env) {
  const script = fileURLToPath(new URL(`../peers/${name}.mjs`, import.meta.url));
  return { script, portVariable: 'PORT', env: { APP_SECRET: account.secret, ...env } };
}
