/** What the figures were measured on. Figures of two machines are not to be compared, ratios are. */
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { at } from '../../tools/parts/paths.mjs';
import { summarize } from './summary.mjs';

const require = createRequire(import.meta.url);

/** @param {{query(sql: string): Promise<string>}} postgres answers one value; @param {string} place where its data is. */
export async function describeMachine(postgres, redisVersion, place) {
  const setting = async (name) => [name, await postgres.query(`SHOW ${name}`)];
  const durable = ['server_version', 'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method'];
  return {
    at: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / 2 ** 30),
    loadBefore: loadavg()[0],
    fdatasyncMs: diskFlushMs(place),
    node: process.versions.node,
    postgres: Object.fromEntries(await Promise.all(durable.map(setting))),
    redis: redisVersion,
    packages: Object.fromEntries(
      ['@nestjs/core', 'fastify', '@prisma/client', 'pg', 'bullmq', 'chat', 'autocannon'].map((name) => [
        name,
        versionOf(name),
      ]),
    ),
  };
}

export function describeInLines({ cpu, cores, memoryGB, loadBefore, fdatasyncMs, node, postgres, redis, packages }) {
  const { server_version, ...settings } = postgres;
  const pairs = (object, between) =>
    Object.entries(object)
      .map(([name, value]) => `${name}${between}${value}`)
      .join(', ');
  return [
    `${cores} cores (${cpu}), ${memoryGB} GB, load before ${loadBefore.toFixed(1)}, fdatasync ${fdatasyncMs.toFixed(2)} ms`,
    `Node ${node}, Postgres ${server_version} (${pairs(settings, '=')}), Redis ${redis} (appendonly, everysec)`,
    pairs(packages, ' '),
    ...(loadBefore > cores / 2
      ? ['THE MACHINE IS BUSY: the figures below say more about the others that run on it']
      : []),
  ];
}

/** Median of one page written and flushed, ms: what a commit costs at least. */
function diskFlushMs(place) {
  const file = join(place, 'flush-probe');
  const handle = openSync(file, 'w');
  const page = Buffer.alloc(8192, 1);
  const times = Array.from({ length: 60 }, () => {
    const since = performance.now();
    writeSync(handle, page, 0, page.length, 0);
    fdatasyncSync(handle);
    return performance.now() - since;
  });
  closeSync(handle);
  rmSync(file);
  return summarize(times).median;
}

function versionOf(name) {
  try {
    return JSON.parse(readFileSync(at('node_modules', name, 'package.json'), 'utf8')).version;
  } catch {
    return require(`${name}/package.json`).version;
  }
}
