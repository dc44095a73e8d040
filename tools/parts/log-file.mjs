import { closeSync, copyFileSync, mkdirSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';

const limit = 10_000_000;
const lookEveryMs = 60_000;
const followEveryMs = 200;

/**
 * A log file that a child writes by itself, so that its last words are kept even when whoever started it is killed;
 * a pipe would break under it. Beyond 10 MB the content moves to one `.old` file.
 */
export function openLog(file, { follow = false } = {}) {
  mkdirSync(dirname(file), { recursive: true });
  // Opened for appending: after the file was emptied, the child goes on at its new end.
  const fd = openSync(file, 'a');
  trim(file);
  const timers = [setInterval(() => trim(file), lookEveryMs)];
  if (follow) timers.push(setInterval(followFrom(file, sizeOf(file)), followEveryMs));
  for (const timer of timers) timer.unref();
  return {
    fd,
    recent: (lines = 8) =>
      read(file, sizeOf(file) - 4_000)
        .trimEnd()
        .split('\n')
        .slice(-lines)
        .join('\n'),
  };
}

function trim(file) {
  if (sizeOf(file) <= limit) return;
  copyFileSync(file, `${file}.old`);
  truncateSync(file);
}

function followFrom(file, start) {
  let position = start;
  return () => {
    const size = sizeOf(file);
    if (size < position) position = 0;
    if (size === position) return;
    process.stdout.write(read(file, position, size));
    position = size;
  };
}

const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function read(file, from, to = sizeOf(file)) {
  const start = Math.max(0, from);
  const buffer = Buffer.alloc(Math.max(0, to - start));
  const fd = openSync(file, 'r');
  const length = readSync(fd, buffer, 0, buffer.length, start);
  closeSync(fd);
  return buffer.toString('utf8', 0, length);
}
