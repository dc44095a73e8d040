/** Runs one check in a copy and tells whether it failed as it should. */
import { join } from 'node:path';
import { run } from '../../../tools/parts/command.mjs';

/**
 * @param {string} copy the sabotaged copy.
 * @param {import('./list.mjs').Check} check
 * @param {Record<string, string>} env of the test services.
 * @returns {Promise<string | null>} what caught it; null when nothing did.
 */
export function runCheck(copy, check, env) {
  return 'test' in check ? runTest(copy, check, env) : runTorture(copy, check);
}

const NO_TESTS = new Set(['Test suite failed to run', 'Console']);

async function runTest(copy, { test, name }, env) {
  const { code, output } = await run(
    process.execPath,
    [
      ...[
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        join('node_modules', 'jest', 'bin', 'jest.js'),
      ],
      // As in npm test: what starts processes must fail by what it finds, not by the time that it takes.
      ...(test.endsWith('.e2e-spec.ts') ? ['--testTimeout=150000'] : []),
      ...['--maxWorkers=1', ...(name === undefined ? [] : ['-t', name]), test],
    ],
    { cwd: copy, env: { ...process.env, ...env } },
  );
  // A test file that cannot even be loaded proves nothing.
  const failed = [...output.matchAll(/^ {2}● (.+)$/gm)]
    .map((match) => match[1].trim())
    .filter((title) => !NO_TESTS.has(title));
  return code !== 0 && failed.length > 0 ? `${test}: ${[...new Set(failed)][0]}` : null;
}

async function runTorture(copy, { torture, seed, minutes = 0.8, backend = 'redis' }) {
  const args = ['--seed', seed, '--minutes', minutes, '--people', 10, '--backend', backend, '--strategy', 'batch'];
  const { output } = await run(
    process.execPath,
    ['tools/torture.mjs', '--no-setup', '--no-drill', ...args.map(String)],
    {
      cwd: copy,
    },
  );
  const broken = [...output.matchAll(/^\| (P\d+) ([^|]+?) *\| (\d+) +\|$/gm)].filter(
    ([, , , count]) => Number(count) > 0,
  );
  const expected = broken.find(([, id]) => torture.includes(id));
  return expected ? `torture, seed ${seed}: ${expected[1]} ${expected[2]}, ${expected[3]} violations` : null;
}
