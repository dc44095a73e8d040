import { readFileSync } from 'node:fs';
import { summarize } from './summary.mjs';

const everyMs = 1_000;

/** Resident memory of a process in MB; NaN where the system does not say (not Linux). */
export function residentMB(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/**
 * Watches processes once a second.
 * @param {Record<string, {pid: number}>} servers
 * @returns {() => Record<string, [number, number][]>} ends it; per name, seconds and MB.
 */
export function watchMemory(servers) {
  const started = Date.now();
  const seen = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
  const look = () => {
    const at = (Date.now() - started) / 1000;
    for (const [name, { pid }] of Object.entries(servers)) seen[name].push([at, residentMB(pid)]);
  };
  look();
  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    return seen;
  };
}

/** Median of the last third by that of the middle one: 1 when nothing grows. The first third is for warming up. */
export function growthOf(points) {
  const third = Math.floor(points.length / 3);
  const median = (from) => summarize(points.slice(from, from + third).map(([, mb]) => mb)).median;
  return third === 0 ? Number.NaN : median(2 * third) / median(third);
}
