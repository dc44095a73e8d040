import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, root } from './paths.mjs';

/**
 * Runs one of the projects of jest.config.mjs. When `signal` aborts, Jest and its workers are killed at once.
 * @returns {Promise<{passed: number, failed: number}>} failed counts files that could not run at all, and Jest itself.
 */
export async function runJest(project, workers, args, env, signal) {
  const folder = mkdtempSync(join(tmpdir(), 'oneturn-jest-'));
  const report = join(folder, 'report.json');
  const child = spawn(
    process.execPath,
    [
      // As arguments and not NODE_OPTIONS, which the processes under test would inherit.
      ...[
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        at('node_modules', 'jest', 'bin', 'jest.js'),
      ],
      ...['--selectProjects', project, `--maxWorkers=${workers}`, '--passWithNoTests'],
      // Starting five processes takes a busy machine its time; what a test waits for has limits of its own.
      ...(project === 'e2e' ? ['--testTimeout=150000'] : []),
      ...['--json', `--outputFile=${report}`, ...args],
    ],
    // A group of its own, so that its workers can be killed with it. --json prints the report to stdout as well.
    { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'], detached: true },
  );
  const kill = () => killGroup(child.pid);
  signal.addEventListener('abort', kill);
  const code = await new Promise((resolve) => child.on('exit', (exit) => resolve(exit ?? 128)));
  signal.removeEventListener('abort', kill);
  // Workers that Jest left behind (forceExit) would otherwise outlive the run.
  killGroup(child.pid);
  const result = read(report, code);
  rmSync(folder, { recursive: true, force: true });
  return result;
}

function read(report, code) {
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // all gone already
  }
}
