/** A wire that a test can cut: everything behind it stays alive and can be looked at directly. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  port: number;
  /** `url` as it is reached through this wire. */
  through(url: string): string;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** What is asked with `text` in its words or values still happens, and nobody gets the answer. Ends with the next cut. */
  loseAnswersTo(text: string): void;
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
  let isCut = false;
  let lost: string | null = null;
  let count = 0;
  const track = (socket: Socket): Socket => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    return socket;
  };
  const server = createServer((caller) => {
    track(caller);
    if (isCut) return void caller.resetAndDestroy();
    const target = track(connect(ends[count++ % ends.length] as Target));
    let deaf = false;
    caller.on('data', (data: Buffer) => {
      deaf ||= lost !== null && data.includes(lost);
      target.write(data);
    });
    target.on('data', (data: Buffer) => void (deaf || caller.write(data)));
    caller.once('close', () => target.destroy());
    target.once('close', () => caller.destroy());
  });
  const port = await listen(server);
  return {
    port,
    through: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    cut: () => {
      isCut = true;
      lost = null;
      for (const socket of open) socket.resetAndDestroy();
    },
    loseAnswersTo: (text) => void (lost = text),
    restore: () => void (isCut = false),
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
