import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Failure } from './failure.mjs';

const name = 'postgres';

/**
 * The system user under which Postgres has to run. Postgres refuses to run as root; anyone else runs it as themselves.
 * @returns {{uid: number, gid: number} | null} null when this process's own user will do.
 */
export function postgresUser() {
  if (process.platform === 'win32' || process.getuid() !== 0) return null;
  const known = lookUp();
  if (known !== null) return known;
  const made = spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', name], {
    encoding: 'utf8',
  });
  const user = lookUp();
  if (user === null) {
    const why = (made.error?.message ?? made.stderr).trim();
    throw new Failure(
      `Postgres does not run as root and the user ${name} cannot be created (${why}): set DATABASE_URL`,
    );
  }
  return user;
}

/** Whether that user may list and enter a folder. Asked of the system itself: modes, groups and ACLs all count. */
export function canReach(user, folder) {
  if (user === null) return true;
  return spawnSync('/bin/sh', ['-c', 'cd / && test -r "$1" && test -x "$1"', 'sh', folder], user).status === 0;
}

function lookUp() {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  if (line === undefined) return null;
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}
