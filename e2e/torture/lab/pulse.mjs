/** How fast this machine is at each moment: the time of one round trip to Postgres, and of one turn of our own loop. */
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 100;

export function feelPulse(postgres) {
  /** @type {{at: number, ms: number}[]} */
  const beats = [];
  let beating = true;
  const run = async () => {
    while (beating) {
      const at = Date.now();
      await delay(EVERY_MS);
      const answered = await postgres.ask('SELECT');
      if (answered !== null) beats.push({ at, ms: Date.now() - at - EVERY_MS });
    }
  };
  const ended = run();
  return {
    beats,
    async stop() {
      beating = false;
      await ended;
    },
  };
}
