/** The queues for the board of the console. Only to look at and to tidy up; nothing depends on it. */
import type { Env, Log } from '#process';
import type { AnyQueue } from './backend.js';
import { chooseBackend } from './choose-backend.js';
import { closeQueue } from './close-bounded.js';
import { QUEUES } from './names.js';

export interface BoardQueues {
  queues: AnyQueue[];
  close(): Promise<void>;
}

/**
 * All queues of the environment's backend. With Redis this never waits for it.
 * @throws whatever keeps Postgres from being reached, where the queues live there.
 */
export async function queuesForBoard(env: Readonly<Env>, log: Log): Promise<BoardQueues> {
  const backend = chooseBackend(env, { consumes: 0, produces: QUEUES.length }, log);
  await backend.prepare();
  const queues = QUEUES.map((name) => backend.createQueue(name));
  return {
    queues,
    close: async () => {
      await Promise.all(queues.map((queue) => closeQueue(queue)));
      await backend.close();
    },
  };
}
