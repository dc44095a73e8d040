import { startEmbeddedPostgres } from '../embedded-postgres.mjs';
import { livePostmaster } from './postmaster.mjs';

const everyMs = 500;

/**
 * Starts the embedded Postgres again, on the same port, whenever its process is gone.
 * @returns {() => Promise<void>} ends the watch and stops Postgres.
 */
export function keepPostgresRunning(postgres, say) {
  let restarting = Promise.resolve();
  let busy = false;
  const look = setInterval(() => {
    if (busy || livePostmaster(postgres.dataDir) !== null) return;
    busy = true;
    say('Postgres ended, starting it again');
    restarting = startEmbeddedPostgres({ port: postgres.port })
      .then(({ port }) => {
        if (port !== postgres.port) say(`Postgres had to move to port ${port}: restart oneturn`);
      })
      .catch((error) => say(error.message))
      .finally(() => (busy = false));
  }, everyMs);
  return async () => {
    clearInterval(look);
    await restarting;
    await postgres.stop();
  };
}
