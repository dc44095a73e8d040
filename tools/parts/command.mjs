import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/**
 * Runs a program to its end.
 * @returns {Promise<{code: number, output: string}>} the exit code (128 when a signal ended it) and, unless `show` is
 *   set, what it wrote. Never rejects because of the exit code; a program that cannot be started has code 127.
 */
export function run(command, args, { show = false, input, ...options } = {}) {
  return new Promise((resolve) => {
    const stdio = show ? ['ignore', 'inherit', 'inherit'] : [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'];
    const child = spawn(command, args, { cwd: root, stdio, ...options });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.stdin?.end(input);
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    // 'exit' and not 'close': a daemon that the program left behind may keep the pipes open for ever.
    child.on('exit', (code) => setImmediate(() => resolve({ code: code ?? 128, output })));
  });
}

/** The last lines of a program's output, for an error message. */
export const tail = (output, lines = 15) => output.trimEnd().split('\n').slice(-lines).join('\n');
