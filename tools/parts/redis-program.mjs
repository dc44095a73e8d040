import { accessSync, chmodSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run, tail } from './command.mjs';
import { Failure } from './failure.mjs';

/**
 * A Redis server program: from PATH, else installed by apt-get when this process is root on Debian.
 * @throws {Failure} when there is none.
 */
export async function redisProgram(say) {
  const found = onPath('redis-server') ?? onPath('valkey-server');
  if (found !== null) return found;
  const help = 'install redis-server, set REDIS_URL, or skip the Redis half with SKIP_REDIS=1';
  if (process.getuid?.() !== 0 || onPath('apt-get') === null) throw new Failure(`there is no redis-server: ${help}`);
  say('installing redis-server ...');
  await withoutStartingDaemons(async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update', '-q'], { env });
    const args = ['install', '-y', '-q', '--no-install-recommends', 'redis-server'];
    const { code, output } = await run('apt-get', args, { env });
    if (code !== 0) throw new Failure(`redis-server cannot be installed (${help}):\n${tail(output, 5)}`);
  });
  return onPath('redis-server') ?? fail(help);
}

const fail = (help) => {
  throw new Failure(`apt-get installed no redis-server: ${help}`);
};

function onPath(program) {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin']) {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return join(folder, program);
    } catch {
      // not here
    }
  }
  return null;
}

/** Debian starts a service as soon as it is installed, unless this file refuses; tests start their own. */
async function withoutStartingDaemons(work) {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) {
    writeFileSync(policy, '#!/bin/sh\nexit 101\n');
    chmodSync(policy, 0o755);
  }
  try {
    await work();
  } finally {
    if (ours) rmSync(policy, { force: true });
  }
}
