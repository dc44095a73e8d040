import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether a process with this id exists (possibly another program than the one that once had it). */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A process id together with its start time, so that a reused id is not taken for the process that had it before. */
export function processMark(pid = process.pid) {
  try {
    return `${pid} ${statFields(pid)[19]}`;
  } catch {
    return `${pid} ${startedAt(pid)}`;
  }
}

/** Whether the process that wrote this mark still runs. */
export function markIsAlive(mark) {
  const pid = Number.parseInt(mark, 10);
  return pid > 0 && isAlive(pid) && processMark(pid) === mark.trim();
}

/** The command line of a process, or '' when it is gone. */
export function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return process.platform === 'linux' ? '' : ps(pid, 'command=');
  }
}

/** Dead, but its parent has not noticed: in a container without an init, that may stay so for ever. */
function isZombie(pid) {
  try {
    return statFields(pid)[0] === 'Z';
  } catch {
    return false;
  }
}

/** The fields of /proc/<pid>/stat after the name, which may itself hold blanks and brackets. */
function statFields(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const startedAt = (pid) => (process.platform === 'linux' ? '' : ps(pid, 'lstart='));

function ps(pid, column) {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
