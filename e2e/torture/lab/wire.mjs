/** The wire between one service and Postgres: it can go silent both ways, as a network does, and heal later. */
import { connect, createServer } from 'node:net';

/** @param {string} url of the database. */
export async function startWire(url) {
  const { hostname, port } = new URL(url);
  const pairs = new Set();
  let silent = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const pair = [near, far];
    pairs.add(pair);
    if (silent) for (const socket of pair) socket.pause();
    for (const [from, to] of [pair, [far, near]]) {
      from.on('data', (bytes) => {
        if (!to.write(bytes)) {
          from.pause();
          to.once('drain', () => !silent && from.resume());
        }
      });
      from.on('error', () => {});
      from.once('close', () => {
        // The end of a connection does not get through a silent wire either.
        if (!silent) to.destroy();
        else from.gone = true;
        if (near.destroyed && far.destroyed) pairs.delete(pair);
      });
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.port = String(server.address().port);
  return {
    url: through.href,
    silence() {
      silent = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    heal() {
      silent = false;
      for (const pair of pairs) {
        if (pair.some((socket) => socket.gone || socket.destroyed)) for (const socket of pair) socket.destroy();
        else for (const socket of pair) socket.resume();
      }
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
    },
  };
}
