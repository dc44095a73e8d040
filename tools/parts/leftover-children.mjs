import { setTimeout as delay } from 'node:timers/promises';
import { markIsAlive, processMark } from './process-mark.mjs';
import { readStamp, writeStamp } from './stamp.mjs';

/** Longer than a service needs to notice that its supervisor is gone and to finish its work. */
const patienceMs = 20_000;

/** Remembers which processes this run has started, for a run that comes after a kill. */
export function rememberChildren(file) {
  const marks = new Map();
  return (name, pid) => {
    marks.set(name, processMark(pid));
    writeStamp(file, [...marks.values()].join('\n'));
  };
}

/** Waits for the children of a killed supervisor to end by themselves; ends those that do not. */
export async function awaitLeftoverChildren(file, say) {
  const alive = () =>
    readStamp(file)
      .split('\n')
      .filter((mark) => mark !== '' && markIsAlive(mark));
  if (alive().length > 0) say('waiting for the services of an earlier run to stop ...');
  for (const deadline = Date.now() + patienceMs; alive().length > 0 && Date.now() < deadline;) await delay(100);
  for (const mark of alive()) process.kill(Number.parseInt(mark, 10), 'SIGKILL');
  while (alive().length > 0) await delay(20);
}
