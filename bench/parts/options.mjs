import { parseArgs } from 'node:util';
import { Failure } from '../../tools/parts/failure.mjs';

/** Every size or duration that an option changes, with its least value; what each benchmark takes by itself stands there. */
const numbers = {
  rounds: 0,
  seconds: 1,
  warmup: 0,
  connections: 1,
  old: 0,
  rate: 1,
  people: 1,
  turns: 1,
  window: 0,
  base: 1,
  compress: 1,
  soak: 0,
};

const usage = `usage: npm run bench -- [scenario ...] [options]; the scenarios and their options: bench/README.md
  ${Object.keys(numbers)
    .map((name) => `[--${name} number]`)
    .join(' ')}
  [--conversations 10000,100000] [--only name,name] [--no-kills] [--profile] [--no-save]`;

/**
 * What to measure and how long; an option that was not given is undefined, for withDefaults.
 * @returns {Record<string, number | undefined> & {scenarios: string[], only: string[] | null, kills: boolean,
 *   profile: boolean, save: boolean, conversations: number[] | undefined}}
 * @throws {Failure} with the usage.
 */
export function readOptions(args, scenarios) {
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      allowNegative: true,
      options: {
        ...Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: 'string' }])),
        only: { type: 'string' },
        conversations: { type: 'string' },
        kills: { type: 'boolean', default: true },
        profile: { type: 'boolean', default: false },
        save: { type: 'boolean', default: true },
      },
    });
  } catch (error) {
    throw new Failure(`${error.message}\n${usage}`);
  }
  const { values, positionals } = parsed;
  const named = positionals.length === 0 || positionals.includes('all') ? scenarios : positionals;
  const unknown = named.find((name) => !scenarios.includes(name));
  if (unknown !== undefined)
    throw new Failure(`there is no benchmark ${unknown}, only ${scenarios.join(', ')} and all\n${usage}`);
  const whole = (name, text, least) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least) throw new Failure(`--${name} ${text}\n${usage}`);
    return value;
  };
  const given = Object.keys(numbers).filter((name) => values[name] !== undefined);
  return {
    ...Object.fromEntries(given.map((name) => [name, whole(name, values[name], numbers[name])])),
    scenarios: named,
    conversations: values.conversations?.split(',').map((text) => whole('conversations', text, 1)),
    only: values.only?.split(',') ?? null,
    kills: values.kills,
    profile: values.profile,
    save: values.save,
  };
}

/** The options with a benchmark's own values where none was given. */
export function withDefaults(given, defaults) {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}
