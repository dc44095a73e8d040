/**
 * The promises of docs/promises.md under faults: one short run with a fixed seed. `npm run torture` has longer ones.
 * A seed that once failed is added to the list, under the name of what it found.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '#testing';

const RUNS = [{ name: 'two minutes with every kind of fault', seed: 7, minutes: 2, people: 8 }];
/** A run, its start, and the time until everything has come to rest, ms. */
const LIMIT_MS = 360_000;

it.each(RUNS)(
  'keeps every promise: $name',
  async ({ seed, minutes, people }) => {
    const { code, output } = await torture(['--seed', `${seed}`, '--minutes', `${minutes}`, '--people', `${people}`]);
    if (code !== 0) throw new Error(output);
  },
  LIMIT_MS,
);

function torture(args: string[]): Promise<{ code: number | null; output: string }> {
  const backend = process.env['SKIP_REDIS'] === '1' ? 'postgres' : 'redis';
  const program = join('tools', 'torture.mjs');
  // The machine that runs all tests may be busy with others: how long things take is for `npm run torture` to judge.
  const fixed = ['--no-setup', '--no-drill', '--allowance', '4000', '--backend', backend, '--strategy', 'batch'];
  const child = spawn(process.execPath, [program, ...fixed, ...args], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, output })));
}
