/** Reads the environment once, at boot, into a frozen typed value. Nothing else looks at process.env. */
import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { crossProblems } from './env-rules.js';
import { Env } from './env-schema.js';
import { declaredSettings } from './env-setting.js';
import { StartRefusal } from './start-refusal.js';

/** The environment cannot be used as it is; the message names every variable and what to do about it. */
export class EnvError extends StartRefusal {
  override name = 'EnvError';

  constructor(readonly problems: readonly string[]) {
    super(['The environment is not usable:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

/**
 * The checked environment. Variables that the schema does not know are ignored, empty ones count as not set.
 * @throws EnvError listing every problem at once, without the value of a secret.
 */
export function readEnv(source: NodeJS.ProcessEnv = process.env): Readonly<Env> {
  const given = givenValues(source);
  const env = plainToInstance(Env, given, { exposeDefaultValues: true });
  const problems = validateSync(env, { skipUndefinedProperties: true }).map((error) => problemLine(error, given));
  // Rules between variables only make sense once each of them is within its own bounds.
  if (problems.length === 0) problems.push(...crossProblems(env));
  if (problems.length > 0) throw new EnvError(problems);
  return Object.freeze(env);
}

/**
 * DATABASE_URL, for a service that runs without the embedded database.
 * @throws EnvError when it is not set.
 */
export function requireDatabaseUrl(env: Readonly<Env>): string {
  if (env.DATABASE_URL !== undefined) return env.DATABASE_URL;
  throw new EnvError([
    'DATABASE_URL is not set: a service that is started alone needs a Postgres, e.g. ' +
      'postgres://user:password@127.0.0.1:5432/oneturn. `npm start` brings its own.',
  ]);
}

/** The entries of a variable that holds several values, separated by commas. */
export function commaList(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function givenValues(source: NodeJS.ProcessEnv): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of declaredSettings().keys()) {
    // Dropped before conversion: Number('') is 0, and WINDOW_MS= would switch the window off.
    const value = source[name]?.trim();
    if (value !== undefined && value !== '') given[name] = value;
  }
  return given;
}

function problemLine(error: ValidationError, given: Record<string, string>): string {
  const name = error.property;
  const info = declaredSettings().get(name);
  const value = info?.secret ? '(not shown)' : (given[name] ?? '');
  return `${name} is ${value}: must be ${info?.bounds ?? 'valid'}. Correct it, or leave it out${fallback(name)}.`;
}

function fallback(name: string): string {
  const value = Object.entries(new Env()).find(([key]) => key === name)?.[1] as unknown;
  return value === undefined ? '' : ` for the default (${String(value)})`;
}
