import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that the kernel gives to outgoing connections: no client can get it before its server starts. */
const first = 10_000;
const last = 32_000;

/** A TCP port on the loopback address that was free a moment ago; `wanted` itself when it is. */
export async function freePort(wanted = 0) {
  const got = wanted === 0 ? null : await tryPort(wanted);
  for (let tried = 0; got === null && tried < 100; tried++) {
    const port = await tryPort(randomInt(first, last));
    if (port !== null) return port;
  }
  return got ?? (await tryPort(0));
}

/** Whether nothing listens on this port of this address. */
export async function isFree(port, host = '127.0.0.1') {
  return (await tryPort(port, host)) !== null;
}

function tryPort(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, host, () => {
      const { port: got } = server.address();
      server.close(() => resolve(got));
    });
  });
}
