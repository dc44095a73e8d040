/**
 * JSON with sorted keys, for hashes that must not depend on the order in which a provider writes fields. Works without
 * recursion: a body may nest a million levels deep, and JSON.stringify would run out of stack.
 */
import { asBag } from './read.js';

/** Says whether a key is left out; `under` is the key of the object that holds it ('' at the top). */
export type SkipKey = (key: string, under: string) => boolean;

type Task = { emit: string } | { value: unknown; under: string };

const COMMA: Task = { emit: ',' };
const END_LIST: Task = { emit: ']' };
const END_BAG: Task = { emit: '}' };

export function canonicalJson(value: unknown, skip: SkipKey = () => false): string {
  const out: string[] = [];
  const tasks: Task[] = [{ value, under: '' }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if ('emit' in task) out.push(task.emit);
    else if (Array.isArray(task.value)) openList(task.value, task.under, out, tasks);
    else openBagOrWrite(task.value, task.under, skip, out, tasks);
  }
  return out.join('');
}

/** JSON text in the given order of keys where the stack allows it, canonical where it does not. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return canonicalJson(value);
    throw error;
  }
}

function openList(list: readonly unknown[], under: string, out: string[], tasks: Task[]): void {
  out.push('[');
  tasks.push(END_LIST);
  for (let index = list.length - 1; index >= 0; index--) {
    tasks.push({ value: list[index], under });
    if (index > 0) tasks.push(COMMA);
  }
}

function openBagOrWrite(value: unknown, under: string, skip: SkipKey, out: string[], tasks: Task[]): void {
  const bag = asBag(value);
  if (bag === null) {
    out.push(JSON.stringify(value) ?? 'null');
    return;
  }
  const keys = Object.keys(bag)
    .filter((key) => bag[key] !== undefined && !skip(key, under))
    .sort();
  out.push('{');
  tasks.push(END_BAG);
  for (const [index, key] of [...keys.entries()].reverse()) {
    tasks.push({ value: bag[key], under: key }, { emit: `${index > 0 ? ',' : ''}${JSON.stringify(key)}:` });
  }
}
