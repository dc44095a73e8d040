/** The schema as data, for docs/operating.md and .env.example. */
import { OPTION_USED_BY, type Strategy } from '#domain';
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

const OPTIONS = {
  DEBOUNCE_MS: 'debounceMs',
  MAX_QUEUE_SIZE: 'maxQueueSize',
  ON_QUEUE_FULL: 'onQueueFull',
  QUEUE_ENTRY_TTL_MS: 'queueEntryTtlMs',
  MAX_CONCURRENT: 'maxConcurrent',
  MAX_RESTARTS: 'maxRestarts',
} as const;

/** Variables that are set but have no effect under the environment's strategy; worth one warning at boot. */
export function unusedSettings(strategy: Strategy, source: NodeJS.ProcessEnv = process.env): string[] {
  return Object.entries(OPTIONS)
    .filter(([name, option]) => (source[name]?.trim() ?? '') !== '' && !OPTION_USED_BY[option].includes(strategy))
    .map(([name]) => `${name} is ignored: OVERLAP_STRATEGY ${strategy} does not use it; accounts with another may.`);
}
