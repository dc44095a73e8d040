/** Decorators that declare one variable of the environment: its rule, and what a reader of the docs needs to know. */
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

/** What is known of a variable besides its name and default. */
export interface SettingInfo {
  meaning: string;
  /** The rule in words, as it follows "must be" in an error. */
  bounds: string;
  secret: boolean;
}

const settings = new Map<string, SettingInfo>();

/** All declared variables in the order of their declaration. */
export function declaredSettings(): ReadonlyMap<string, SettingInfo> {
  return settings;
}

function declare(info: SettingInfo): PropertyDecorator {
  return (_target, name) => {
    settings.set(String(name), info);
  };
}

/** A whole number within bounds (both included). */
export function Whole(min: number, max: number, meaning: string): PropertyDecorator {
  const bounds = `a whole number from ${min} to ${max}`;
  return applyDecorators(
    declare({ meaning, bounds, secret: false }),
    Type(() => Number),
    IsOptional(),
    IsInt(),
    Min(min),
    Max(max),
  );
}

export function OneOf(values: readonly string[], meaning: string): PropertyDecorator {
  const bounds = `one of ${values.join(', ')}`;
  return applyDecorators(declare({ meaning, bounds, secret: false }), IsOptional(), IsIn([...values]));
}

export function Text(meaning: string): PropertyDecorator {
  return applyDecorators(declare({ meaning, bounds: 'text', secret: false }), IsOptional(), IsString());
}

/** Like Text, but its value never appears in an error or a description. */
export function Secret(meaning: string): PropertyDecorator {
  return applyDecorators(declare({ meaning, bounds: 'text', secret: true }), IsOptional(), IsString());
}

/** An address that may carry a password, and is therefore treated as a secret. */
export function Address(protocols: readonly string[], meaning: string): PropertyDecorator {
  const bounds = `an address that begins with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`;
  const pattern = new RegExp(`^(${protocols.join('|')})://[^\\s]+$`);
  return applyDecorators(declare({ meaning, bounds, secret: true }), IsOptional(), Matches(pattern));
}
