import { readFileSync } from 'node:fs';

/** The kernel's unit of process times on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Processor time that a process has used so far, all its threads, ms. NaN where the system does not say (not Linux). */
export function cpuMs(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}
