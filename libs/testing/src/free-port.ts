import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which the kernel takes ports for outgoing connections (from 32768 on Linux): nobody's client can
 * get the port between our look and the start of the server it is for.
 */
const FIRST = 10_000;
const LAST = 32_000;
const TRIES = 100;
const given = new Set<number>();

/** A TCP port on the loopback address that was free a moment ago. Prefer port 0 wherever the server can take it. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried++) {
    const port = randomInt(FIRST, LAST);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port between ${FIRST} and ${LAST}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
