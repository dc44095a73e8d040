/** The schema as data, for docs/operating.md and .env.example. */
import { AVAILABLE_STRATEGIES, BatchingEnv } from './env-batching.js';
import { Env } from './env-schema.js';
import { declaredSettings } from './env-setting.js';

export interface SettingDescription {
  name: string;
  meaning: string;
  /** Null: not set unless given. */
  default: string | null;
  bounds: string;
  secret: boolean;
}

/** Every variable in the order of the schema. */
export function describeEnv(): SettingDescription[] {
  const defaults = new Map<string, unknown>(Object.entries(new Env()));
  return [...declaredSettings()].map(([name, info]) => {
    const value = defaults.get(name);
    return {
      name,
      meaning: info.meaning,
      default: value === undefined ? null : String(value),
      bounds: info.bounds,
      secret: info.secret,
    };
  });
}

const USED_BY_OTHER_STRATEGIES: readonly (keyof BatchingEnv)[] = [
  'DEBOUNCE_MS',
  'MAX_QUEUE_SIZE',
  'ON_QUEUE_FULL',
  'QUEUE_ENTRY_TTL_MS',
  'MAX_CONCURRENT',
  'MAX_RESTARTS',
];

/** Variables that are set but have no effect under the strategies of this version; worth one warning at boot. */
export function unusedSettings(source: NodeJS.ProcessEnv = process.env): string[] {
  const strategies = AVAILABLE_STRATEGIES.join(', ');
  return USED_BY_OTHER_STRATEGIES.filter((name) => (source[name]?.trim() ?? '') !== '').map(
    (name) => `${name} is set but has no effect under OVERLAP_STRATEGY ${strategies}.`,
  );
}
