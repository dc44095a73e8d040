import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Starts a load generator.
 * @param {URL} script a program that is sent `order`, reports {measuring: true} when the clock starts, and ends with a
 *   result.
 * @returns {{measuring: Promise<void>, result: Promise<object>, stop: () => void}}
 */
export function startLoad(script, order) {
  const child = fork(fileURLToPath(script), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  let started;
  const measuring = new Promise((resolve) => (started = resolve));
  const result = new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (message.measuring) return started();
      resolve(message);
      child.disconnect();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the load generator ended early (code ${code})`)));
  });
  result.catch(() => started());
  child.send(order);
  return { measuring, result, stop: () => child.connected && child.send('stop') };
}
