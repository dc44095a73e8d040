import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../outside/main.mjs', import.meta.url));

/**
 * Starts the outside: people who write, the channel, the model.
 * @returns {Promise<{apiUrl: string, modelUrl: string, tell: (name: string, how?: object) => Promise<any>, stop: () => void}>}
 */
export async function startOutside() {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const waiting = new Map();
  let count = 0;
  child.on('message', ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(`outside: ${error}`));
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the outside ended (code ${code})`));
  });
  const tell = (name, how = {}) =>
    new Promise((resolve, reject) => {
      count += 1;
      waiting.set(count, { resolve, reject });
      child.send({ id: count, do: name, with: how });
    });
  const { port } = await tell('open');
  const apiUrl = `http://127.0.0.1:${port}`;
  return { apiUrl, modelUrl: `${apiUrl}/model`, tell, stop: () => child.connected && child.disconnect() };
}

/** A name that no other run has. */
export const newRun = () => randomBytes(4).toString('hex');
