import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { repositoryRoot } from './repository-root.js';

export type ServiceName = 'ingest' | 'batcher' | 'responder' | 'console' | 'simulator' | 'standalone';

export interface ServiceExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RunningService {
  name: ServiceName;
  pid: number;
  /** Address of its HTTP server, without a slash at the end (standalone: the console's). */
  url: string;
  /** The address of each port that it was given. */
  urls: Record<Exclude<ServiceName, 'standalone'>, string>;
  /** Everything it wrote to stdout and stderr so far. */
  output(): string;
  /** Settles when the process has ended, however it ended. */
  exited: Promise<ServiceExit>;
  /** Sends a signal (default SIGTERM) and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<ServiceExit>;
}

export interface StartOptions {
  /** Wait until /health/ready answers 200 (default true). */
  ready?: boolean;
  /** How long that may take, in ms (default 60,000). */
  timeoutMs?: number;
}

const listening = ['ingest', 'batcher', 'responder', 'console', 'simulator'] as const;

/**
 * Starts `dist/apps/<name>/main.js` as its own process on free ports, with `env` and next to nothing of the caller's
 * environment. The process ends with the caller, because its channel to the caller closes.
 * @throws with the output when it ends or does not get ready in time.
 */
export async function startService(
  name: ServiceName,
  env: Record<string, string> = {},
  { ready = true, timeoutMs = 60_000 }: StartOptions = {},
): Promise<RunningService> {
  const ports: Record<string, string> = {};
  for (const service of listening) {
    ports[portVariable(service)] = env[portVariable(service)] ?? String(await freePort());
  }
  const urlOf = (service: (typeof listening)[number]) => `http://127.0.0.1:${ports[portVariable(service)]}`;
  const child = spawn(process.execPath, [join('dist', 'apps', name, 'main.js')], {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      ...ports,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const service: RunningService = {
    name,
    pid: child.pid ?? 0,
    url: urlOf(name === 'standalone' ? 'console' : name),
    urls: {
      ingest: urlOf('ingest'),
      batcher: urlOf('batcher'),
      responder: urlOf('responder'),
      console: urlOf('console'),
      simulator: urlOf('simulator'),
    },
    output: collectOutput(child),
    exited: exitOf(child),
    kill: (signal = 'SIGTERM') => {
      child.kill(signal);
      return service.exited;
    },
  };
  if (ready) await untilReady(service, timeoutMs);
  return service;
}

/** Of the output, when a start fails: a service that waits for its database says so many times. */
const SHOWN = 4_000;

const portVariable = (service: string): string => `${service.toUpperCase()}_PORT`;

function collectOutput(child: ChildProcess): () => string {
  let output = '';
  const add = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return () => output;
}

function exitOf(child: ChildProcess): Promise<ServiceExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: 127, signal: null }));
  });
}

async function untilReady(service: RunningService, timeoutMs: number): Promise<void> {
  let ended: ServiceExit | undefined;
  void service.exited.then((exit) => (ended = exit));
  const probe = async (): Promise<'ready' | 'ended' | false> => {
    if (ended !== undefined) return 'ended';
    const response = await fetch(`${service.url}/health/ready`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.status === 200 && 'ready';
  };
  const state = await eventually(probe, { timeoutMs, everyMs: 50 }).catch(() => 'late' as const);
  if (state === 'ready') return;
  if (state === 'late') await service.kill('SIGKILL');
  const how = ended === undefined ? `was not ready within ${timeoutMs} ms` : `ended (${JSON.stringify(ended)})`;
  throw new Error(`${service.name} ${how}:\n${service.output().slice(-SHOWN)}`);
}
