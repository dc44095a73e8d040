import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, isAlive } from './process-mark.mjs';

/**
 * What postmaster.pid in a data folder says, when the process it names really is the Postgres of that folder.
 * @returns {{pid: number, port: number, ready: boolean} | null}
 */
export function livePostmaster(dataDir) {
  const lines = pidFile(dataDir);
  const pid = Number(lines[0]);
  if (!(pid > 0) || !isPostgresOf(pid, dataDir)) return null;
  // Lines 4 and 8 are written a moment after the file appears, so a fresh postmaster has a port of NaN for a while.
  return { pid, port: Number(lines[3]), ready: (lines[7] ?? '').trim() === 'ready' };
}

/**
 * After a crash, the id in postmaster.pid may belong to some other program by now, and Postgres would refuse to start.
 * Puts an id there that nobody has. The rest of the file stays: from it Postgres sees that orphans of the dead
 * postmaster still use the data, which is what must not be lost.
 */
export function disownReusedPid(dataDir) {
  const lines = pidFile(dataDir);
  const pid = Number(lines[0]);
  if (!(pid > 0) || !isAlive(pid) || isPostgresOf(pid, dataDir)) return;
  let unused = 4_000_000;
  while (isAlive(unused)) unused += 1;
  writeFileSync(join(dataDir, 'postmaster.pid'), [unused, ...lines.slice(1)].join('\n'));
}

function isPostgresOf(pid, dataDir) {
  if (!isAlive(pid)) return false;
  const command = commandLine(pid);
  return command.includes('postgres') && command.includes(dataDir);
}

function pidFile(dataDir) {
  try {
    return readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}
