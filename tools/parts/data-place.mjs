import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Failure } from './failure.mjs';
import { dataFolder, root } from './paths.mjs';
import { canReach, postgresUser } from './postgres-user.mjs';

/**
 * The folder that holds the embedded database and the secrets of this clone: `.data/`, or, when Postgres runs as a
 * user of its own who cannot enter the clone (a clone in /root), a folder in /var/lib that is named after the clone.
 * ONETURN_DATA_DIR names another folder: a second installation of the same clone, or a test.
 * @throws {Failure} when Postgres cannot enter the folder that was named.
 */
export function dataPlace() {
  const user = postgresUser();
  if (process.env.ONETURN_DATA_DIR) return namedPlace(resolve(root, process.env.ONETURN_DATA_DIR), user);
  mkdirSync(dataFolder, { recursive: true });
  if (canReach(user, dataFolder)) return dataFolder;
  const id = createHash('sha256').update(root).digest('hex').slice(0, 8);
  const shared = '/var/lib/oneturn';
  const place = join(shared, `${basename(root)}-${id}`);
  mkdirSync(place, { recursive: true });
  // Whatever the umask says: the point of this place is that the other user can enter it.
  for (const folder of [shared, place]) chmodSync(folder, 0o755);
  return place;
}

function namedPlace(place, user) {
  mkdirSync(place, { recursive: true });
  if (canReach(user, place)) return place;
  throw new Failure(`the user that runs Postgres cannot enter ${place}: name another folder in ONETURN_DATA_DIR`);
}

/** A random secret that is made once and then found again, in a file that only its owner may read. */
export function keptSecret(place, name) {
  const folder = join(place, 'secrets');
  const file = join(folder, name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
