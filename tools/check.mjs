/**
 * `npm run check`: everything that can be said about the code without running it. Each step prints one line; a failed
 * one prints why, and the others still run.
 */
import { run, tail } from './parts/command.mjs';
import { runTool } from './parts/failure.mjs';
import { namedRegistries } from './parts/host-names.mjs';
import { auditDependencies } from './parts/lock-audit.mjs';
import { at } from './parts/paths.mjs';
import { printTally } from './parts/tally.mjs';
import { setup } from './setup.mjs';

const bin = (...path) => at('node_modules', ...path);

/** @returns {Promise<string[]>} nothing, or the end of the program's output. */
async function program(path, args, env = {}) {
  const { code, output } = await run(process.execPath, [path, ...args], { env: { ...process.env, ...env } });
  return code === 0 ? [] : [tail(output, 60)];
}

const steps = {
  format: () => program(bin('prettier', 'bin', 'prettier.cjs'), ['--check', '.']),
  // Through Nx, because the walls need its project graph: plain ESLint without one skips them and finds nothing.
  lint: () =>
    program(bin('nx', 'dist', 'bin', 'nx.js'), ['run-many', '-t', 'lint', '--parallel=2', '--outputStyle=static'], {
      NX_DAEMON: 'false',
      NX_TUI: 'false',
    }),
  // Loaded late: before the setup there may be no ESLint to import.
  'lint canaries': async () => (await import('./lint-canary.mjs')).lintCanaries(),
  'types of the sources': () => program(bin('typescript', 'bin', 'tsc'), ['-b']),
  'types of the specs': () => program(bin('typescript', 'bin', 'tsc'), ['-p', 'tsconfig.check.json']),
  'unused code': () =>
    program(bin('knip', 'bin', 'knip.js'), [
      ...['--config', at('tools', 'knip.json'), '--no-progress', '--no-config-hints'],
      ...['--include', 'files,dependencies,unlisted,unresolved,exports'],
    ]),
  dependencies: async () => {
    const { how, problems } = await auditDependencies();
    console.log(`      dependencies: ${how}`);
    return problems;
  },
  'no registry named': namedRegistries,
};

await runTool('check', async () => {
  if (!process.argv.includes('--no-setup')) await setup();
  const total = { passed: 0, failed: 0 };
  for (const [name, step] of Object.entries(steps)) {
    const since = Date.now();
    const problems = await step();
    total[problems.length === 0 ? 'passed' : 'failed'] += 1;
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'}  ${name} (${((Date.now() - since) / 1000).toFixed(1)} s)`);
    for (const problem of problems) console.log(problem);
  }
  printTally(total);
  return total.failed === 0 ? 0 : 1;
});
