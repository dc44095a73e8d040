import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { at, root } from './paths.mjs';

const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** A child that ran this long counts as healthy, and its next end as the first. */
const healthyMs = 30_000;
/** A service takes 10 s to finish its work and 5 s to close its connections (SHUTDOWN_GRACE_MS adds to it). */
const closeMs = 8_000;

/**
 * Keeps one service of the build running: starts it again, after a growing pause, whenever it ends.
 * @param {object} events `ended(code, signal, starts)` is called for each unexpected end, `started(pid)` for each start.
 */
export function supervise(name, env, log, events) {
  const graceMs = Number(env.SHUTDOWN_GRACE_MS || 10_000) + closeMs;
  const stopping = new AbortController();
  let child = null;
  let gone = Promise.resolve();
  const life = keepRunning();

  async function keepRunning() {
    for (let starts = 1, pause = firstPauseMs; !stopping.signal.aborted; starts += 1) {
      const since = Date.now();
      child = launch(name, env, log);
      gone = new Promise((resolve) => {
        child.once('exit', (code, signal) => resolve([code, signal]));
        child.once('error', (error) => resolve([error.message, null]));
      });
      events.started(child.pid);
      const [code, signal] = await gone;
      if (stopping.signal.aborted) return;
      if (Date.now() - since > healthyMs) pause = firstPauseMs;
      events.ended(code, signal, starts);
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => {});
      pause = Math.min(pause * 2, longestPauseMs);
    }
  }

  return {
    name,
    /** Asks it to finish (SIGTERM), and kills it when it does not within its grace, or as soon as `urgent` aborts. */
    async stop(urgent) {
      stopping.abort();
      const kill = () => child?.kill('SIGKILL');
      if (urgent.aborted) kill();
      else child?.kill('SIGTERM');
      urgent.addEventListener('abort', kill);
      const patience = setTimeout(kill, graceMs);
      await gone;
      await life;
      clearTimeout(patience);
    },
  };
}

function launch(name, env, log) {
  return spawn(process.execPath, [at('dist', 'apps', name, 'main.js')], {
    cwd: root,
    env,
    // The channel tells the child when this process is gone, however it went. A group of its own keeps the terminal's
    // Ctrl-C away from it: a second signal would mean "at once".
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    detached: true,
  });
}
