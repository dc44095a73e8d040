/**
 * JSON with sorted keys, for hashes that must not depend on the order in which a provider writes fields. A body may
 * nest a million levels deep, where JSON.stringify and any recursion run out of stack; no real one does, so the way
 * without recursion, at three times the cost, is taken only below DEEPEST.
 */
import { asBag } from './read.js';

/** Says whether a key is left out; `under` is the key of the object that holds it ('' at the top). */
export type SkipKey = (key: string, under: string) => boolean;

type Task = { emit: string } | { value: unknown; under: string };

const COMMA: Task = { emit: ',' };
const END_LIST: Task = { emit: ']' };
const END_BAG: Task = { emit: '}' };

/** Levels that are written by recursion. */
const DEEPEST = 64;

export function canonicalJson(value: unknown, skip: SkipKey = () => false): string {
  return shallowJson(value, '', skip, 0) ?? deepJson(value, skip);
}

/** Null when the value is nested deeper than DEEPEST. */
function shallowJson(value: unknown, under: string, skip: SkipKey, depth: number): string | null {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth === DEEPEST) return null;
  let text = '';
  if (Array.isArray(value)) {
    for (const one of value) {
      const item = shallowJson(one, under, skip, depth + 1);
      if (item === null) return null;
      text += text === '' ? item : `,${item}`;
    }
    return `[${text}]`;
  }
  const bag = value as Record<string, unknown>;
  for (const key of Object.keys(bag).sort()) {
    if (bag[key] === undefined || skip(key, under)) continue;
    const field = shallowJson(bag[key], key, skip, depth + 1);
    if (field === null) return null;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${field}`;
  }
  return `{${text}}`;
}

function deepJson(value: unknown, skip: SkipKey): string {
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
