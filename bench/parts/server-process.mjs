import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../tools/parts/failure.mjs';
import { freePort } from '../../tools/parts/free-port.mjs';
import { tail } from '../../tools/parts/command.mjs';
import { root } from '../../tools/parts/paths.mjs';

const readyMs = 30_000;

/**
 * Starts one of the programs to be measured, in production mode, and waits until it says that it is ready. It ends with
 * this process, because its channel closes.
 * @param {{script: string, portVariable: string, env: Record<string, string>, nodeFlags?: string[]}} program
 */
export async function startServer({ script, portVariable, env, nodeFlags = [] }) {
  const port = await freePort();
  const child = spawn(process.execPath, [...nodeFlags, script], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      [portVariable]: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output = (output + chunk).slice(-20_000)));
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  let gone = false;
  void exited.then(() => (gone = true));
  const url = `http://127.0.0.1:${port}`;
  const server = {
    url,
    pid: child.pid,
    output: () => output,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
  for (const deadline = Date.now() + readyMs; ; await delay(50)) {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.status === 200) return server;
    if (!gone && Date.now() < deadline) continue;
    if (!gone) await server.stop('SIGKILL');
    throw new Failure(`${script} ${gone ? 'ended' : 'is not ready'}:\n${tail(output)}`);
  }
}
