import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../tools/parts/failure.mjs';
import { freePort } from '../../tools/parts/free-port.mjs';
import { tail } from '../../tools/parts/command.mjs';
import { root } from '../../tools/parts/paths.mjs';

/** A start on a machine that is busy with other things takes long; only a hung one takes this. */
const readyMs = 120_000;

/**
 * Starts one of the programs to be measured, in production mode, and waits until it says that it is ready. It ends with
 * this process, because its channel closes.
 * @param {{script: string, portVariable: string, env: Record<string, string>, nodeFlags?: string[],
 *   pollMs?: number}} program `pollMs`: between two looks at its readiness.
 */
export async function startServer({ script, portVariable, env, nodeFlags = [], pollMs = 50 }) {
  const port = await freePort();
  const startedAt = performance.now();
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
  for (const deadline = Date.now() + readyMs; ; await delay(pollMs)) {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.status === 200) return { ...server, readyAfterMs: performance.now() - startedAt };
    if (!gone && Date.now() < deadline) continue;
    const how = gone ? 'ended' : `is not ready after ${readyMs / 1000} s`;
    if (!gone) await server.stop('SIGKILL');
    throw new Failure(`${script} ${how}:\n${tail(output)}`);
  }
}
