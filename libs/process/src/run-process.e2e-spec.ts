import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A service as small as it gets; `hang` in its environment keeps it from coming to rest. */
const SERVICE = `
import { Module } from '@nestjs/common';
import { Drain, startService } from '#process';
class App { constructor(drain) { if (process.env.HANG) drain.onDrain('hang', () => new Promise(() => {})); } }
Reflect.defineMetadata('design:paramtypes', [Drain], App);
Module({})(App);
await startService({ name: 'ingest', module: () => App, port: (env) => env.INGEST_PORT });
if (process.env.THROW) setTimeout(() => { throw new Error('expected'); }, 10);
`;

const started: ChildProcess[] = [];
afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

function start(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SERVICE], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], INGEST_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  started.push(child);
  let output = '';
  const waiting: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      waiting.forEach((look) => look());
    });
  }
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  /** Resolves when the output holds the text. */
  const said = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => output.includes(text) && resolve();
      waiting.push(look);
      look();
    });
  return { child, exit, said, output: () => output };
}

it('stops gracefully at SIGTERM and exits 0', async () => {
  const { child, exit, said } = start();
  await said('listening');
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});

it('stops by itself when its supervisor is gone', async () => {
  const { child, exit, said } = start();
  await said('listening');
  child.disconnect();
  expect(await exit).toBe(0);
});

it('waits no longer than its grace', async () => {
  const { child, exit, said, output } = start({ HANG: '1', SHUTDOWN_GRACE_MS: '50' });
  await said('listening');
  child.kill('SIGINT');
  expect(await exit).toBe(0);
  expect(output()).toContain('stopped before it was at rest');
});

it('exits 130 at the second signal', async () => {
  const { child, exit, said } = start({ HANG: '1' });
  await said('listening');
  child.kill('SIGTERM');
  await said('"msg":"stopping"');
  child.kill('SIGTERM');
  expect(await exit).toBe(130);
});

it('exits 1 at an error that nobody caught', async () => {
  const { exit, output } = start({ THROW: '1' });
  expect(await exit).toBe(1);
  expect(output()).toContain('uncaught error');
});

it('refuses a wrong environment in plain words', async () => {
  const { exit, output } = start({ WINDOW_MS: 'soon' });
  expect(await exit).toBe(1);
  expect(output()).toMatch(/^ingest: The environment is not usable:\n {2}WINDOW_MS is soon: must be/);
});
