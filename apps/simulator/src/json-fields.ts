import type { Refusal } from './graph-error.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Code 100, Meta's answer to a parameter of the wrong type, length or name. */
export function badParameter(message: string): Refusal {
  return { code: 100, message: `(#100) ${message}` };
}

/** Refuses keys that the object does not have and required strings that are missing, empty or no strings. */
export function checkKeys(
  name: string,
  value: unknown,
  allowed: readonly string[],
  required: readonly string[] = [],
): Refusal | undefined {
  if (!isObject(value)) return badParameter(`Param ${name} must be an object.`);
  for (const key of Object.keys(value)) {
    if (!allowed.includes(key)) return badParameter(`Unexpected key "${key}" on param "${name}".`);
  }
  for (const key of required) {
    const field = value[key];
    if (field === undefined) return badParameter(`The parameter ${name}['${key}'] is required.`);
    if (typeof field !== 'string') return badParameter(`Param ${name}['${key}'] must be a string.`);
    if (field === '') return badParameter(`Param ${name}['${key}'] must not be empty.`);
  }
  return undefined;
}

/** Refuses a string that is too long, in characters (code points); other values pass. */
export function checkLength(name: string, value: unknown, max: number): Refusal | undefined {
  if (typeof value !== 'string' || value.length <= max || [...value].length <= max) return undefined;
  return badParameter(`Param ${name} must be at most ${max} characters long.`);
}
