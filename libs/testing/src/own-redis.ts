import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

export interface OwnRedis {
  url: string;
  port: number;
  /** Stops it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>;
}

/**
 * A Redis server that belongs to one test, for tests that stop it. It keeps nothing on disk.
 * @returns null when there is no server program here (SKIP_REDIS=1).
 */
export async function startOwnRedis(): Promise<OwnRedis | null> {
  const program = process.env['ONETURN_TEST_REDIS_PROGRAM'];
  if (!program) return null;
  const port = await freePort();
  let server = await launch(program, port);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill: () => end(server),
    restart: async () => {
      await end(server);
      server = await launch(program, port);
    },
  };
}

async function launch(program: string, port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn(program, args, { stdio: 'ignore' });
  await eventually(() => answers(port));
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGKILL');
  await once(server, 'exit');
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
