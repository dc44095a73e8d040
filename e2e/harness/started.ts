/** `npm start` as a person at a terminal runs it, on data and ports of its own. */
import { eventually, repositoryRoot } from '#testing';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Started {
  pid: number;
  /** Everything that it has printed. */
  output(): string;
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Waits until it has said that it is ready; resolves to the addresses that it has printed, without a slash at the end. */
  ready(): Promise<{ phone: string; console: string; webhook: string }>;
}

/** Preparing may mean to build first; a busy machine is slow, ms. */
const READY_MS = 90_000;

export function npmStart(dataDir: string, env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [join('tools', 'start.mjs')], {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      ONETURN_DATA_DIR: dataDir,
      ...Object.fromEntries(
        ['CONSOLE', 'INGEST', 'BATCHER', 'RESPONDER', 'SIMULATOR'].map((service) => [`${service}_PORT`, '0']),
      ),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  let ended = false;
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => {
      ended = true;
      resolve({ code, signal });
    }),
  );
  return {
    pid: child.pid ?? 0,
    output: () => output,
    exited,
    kill: (signal) => {
      child.kill(signal);
      return exited;
    },
    ready: async () => {
      await eventually(() => ended || output.includes('oneturn is ready'), { timeoutMs: READY_MS, everyMs: 50 });
      if (ended) throw new Error(`npm start ended:\n${output}`);
      await eventually(() => output.includes('Ctrl-C stops everything'));
      const address = (name: string): string =>
        new RegExp(`^ *${name} +(http://\\S+?)/?(\\s|$)`, 'm').exec(output)?.[1] ?? '';
      return { phone: address('phone'), console: address('console'), webhook: address('webhook') };
    },
  };
}

/** The process ids of the services that the newest run has started, by name. */
export function childrenOf(dataDir: string): Record<string, number> {
  const pids = readFileSync(join(dataDir, 'children'), 'utf8').trim().split('\n').map(Number.parseFloat);
  return Object.fromEntries(
    pids.filter(isAlive).map((pid) => [/apps\/(\w+)\/main/.exec(commandOf(pid))?.[1] ?? `pid ${pid}`, pid]),
  );
}

/** The id of the postmaster on this data; null when none has it. */
export function postmasterOf(dataDir: string): number | null {
  try {
    const pid = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    return isAlive(pid) && commandOf(pid).includes(dataDir) ? pid : null;
  } catch {
    return null;
  }
}

/** Whether a process still runs; one that is dead and was not waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] !== 'Z';
  } catch {
    return false;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
