/** The folder of a run, and the end of those that runs have left behind which were killed. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { livePostmaster } from '../../../tools/parts/postmaster.mjs';
import { markIsAlive, processMark } from '../../../tools/parts/process-mark.mjs';
import { readStamp, writeStamp } from '../../../tools/parts/stamp.mjs';

const prefix = 'oneturn-torture-';
const ownerOf = (folder) => join(folder, 'owner');

/** @returns {string} an empty folder that the database's user can reach. */
export function makeFolder() {
  removeLeftovers();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(folder, 0o755);
  writeStamp(ownerOf(folder), processMark());
  return folder;
}

/** From here on it is kept, with nothing running in it. */
export function keepFolder(folder) {
  rmSync(join(folder, 'postgres'), { recursive: true, force: true });
  rmSync(ownerOf(folder), { force: true });
}

function removeLeftovers() {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const owner = readStamp(ownerOf(folder));
    if (owner === '' || markIsAlive(owner)) continue;
    const postmaster = livePostmaster(join(folder, 'postgres'));
    if (postmaster !== null) process.kill(postmaster.pid, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  }
}
