import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { markIsAlive, processMark } from './process-mark.mjs';

/**
 * Takes a lock file, at once or not at all.
 * @returns the function that frees it, or null while a live process holds it. The lock of a dead process is taken over.
 */
export function tryLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, processMark());
  try {
    for (;;) {
      try {
        // A link, because it appears with its content: nobody can read a lock that does not yet say whose it is.
        linkSync(own, file);
        return () => rmSync(file, { force: true });
      } catch (error) {
        if (error.code !== 'EEXIST') throw error;
      }
      const mark = holderOf(file);
      if (mark !== '' && markIsAlive(mark)) return null;
      if (mark !== '') removeStale(file, mark);
    }
  } finally {
    unlinkSync(own);
  }
}

/** The mark of the process that holds the lock, or '' when nobody does. */
export function holderOf(file) {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Waits for a lock file and calls `onWait` once when it has to. Returns the function that frees it. */
export async function takeLock(file, onWait = () => {}) {
  for (let waited = false; ; waited = true) {
    const release = tryLock(file);
    if (release !== null) return release;
    if (!waited) onWait(Number.parseInt(holderOf(file), 10));
    await delay(200);
  }
}

/** Moves a dead holder's lock away; if another process was faster and it is that one's lock by now, puts it back. */
function removeStale(file, mark) {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (holderOf(aside) !== mark) {
    try {
      linkSync(aside, file);
    } catch {
      // Taken again in between: the other process notices at its own release, which only removes a file.
    }
  }
  rmSync(aside, { force: true });
}
