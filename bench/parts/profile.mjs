import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/parts/paths.mjs';

/**
 * Prints where the time of a process went, from the .cpuprofile that Node wrote into a folder.
 * @param {number} lastMs only this much of its end counts: before that lie its start and the warm-up.
 */
export function printProfile(folder, lastMs, say) {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) return say('no profile was written');
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { self, total, busy, idle } = timesOf(profile, profile.endTime - lastMs * 1000);
  const packages = new Map();
  for (const [place, time] of self) add(packages, packageOf(place), time);
  const show = (title, map, count) => {
    say(`\n${title}`);
    for (const [name, time] of top(map, count)) say(`  ${share(time, busy).padStart(6)}  ${name}`);
  };
  say(`busy ${share(busy, busy + idle)} of the time; of that`);
  show('by package:', packages, 14);
  show('by function, itself:', self, 25);
  show(
    'by function of ours, with all that it calls:',
    new Map([...total].filter(([place]) => place.includes('dist/'))),
    25,
  );
}

/** Time per function, µs: its own, and including what it called. */
function timesOf({ nodes, samples, timeDeltas, startTime }, since) {
  const byId = new Map(nodes.map((node) => [node.id, { place: placeOf(node.callFrame) }]));
  for (const node of nodes) for (const child of node.children ?? []) byId.get(child).caller = byId.get(node.id);
  const self = new Map();
  const total = new Map();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index];
    if (at < since) continue;
    add(self, byId.get(id).place, timeDeltas[index]);
    const stack = new Set();
    for (let node = byId.get(id); node !== undefined; node = node.caller) stack.add(node.place);
    for (const place of stack) add(total, place, timeDeltas[index]);
  }
  const idle = self.get('(idle)') ?? 0;
  self.delete('(idle)');
  return { self, total, idle, busy: [...self.values()].reduce((sum, time) => sum + time, 0) };
}

const share = (part, whole) => `${((100 * part) / whole).toFixed(1)}%`;
const top = (map, count) => [...map].sort((a, b) => b[1] - a[1]).slice(0, count);
const add = (map, key, value) => map.set(key, (map.get(key) ?? 0) + value);

function placeOf({ functionName, url, lineNumber }) {
  const name = functionName || '(anonymous)';
  return url === '' ? name : `${name} ${url.replace(/^file:\/\//, '').replace(`${root}/`, '')}:${lineNumber + 1}`;
}

function packageOf(place) {
  const path = place.split(' ').at(-1);
  return (
    /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? /^(dist\/\w+\/\w+|node:[\w/]+)/.exec(path)?.[1] ?? place
  );
}
