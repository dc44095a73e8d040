import { createServer } from 'node:net';

/** A TCP port on the loopback address that was free a moment ago; `wanted` itself when it is. */
export async function freePort(wanted = 0) {
  return (await tryPort(wanted)) ?? (await tryPort(0));
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
