/** A wire that a test can cut: everything behind it stays alive and can be looked at directly. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** `url` as it is reached through this wire. */
  through(url: string): string;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** Requests still pass, answers are kept back until the wire is cut: what was asked for happens, nobody learns of it. */
  holdAnswers(): void;
  /** New connections pass again. */
  restore(): void;
  close(): Promise<void>;
}

interface Target {
  host: string;
  port: number;
}

/** New connections go to the targets in turn. */
export async function startTcpProxy(...targets: string[]): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const ends = targets.map(targetOf);
  let state: 'open' | 'cut' | 'held' = 'open';
  let count = 0;
  const track = (socket: Socket): Socket => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    return socket;
  };
  const server = createServer((caller) => {
    track(caller);
    if (state === 'cut') return void caller.resetAndDestroy();
    const target = track(connect(ends[count++ % ends.length] as Target));
    caller.pipe(target);
    target.on('data', (data: Buffer) => void (state === 'held' || caller.write(data)));
    caller.once('close', () => target.destroy());
    target.once('close', () => caller.destroy());
  });
  const port = await listen(server);
  return {
    port,
    through: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    cut: () => {
      state = 'cut';
      for (const socket of open) socket.resetAndDestroy();
    },
    holdAnswers: () => void (state = 'held'),
    restore: () => void (state = 'open'),
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    }),
  );
}
