import type { z } from 'zod';

import type { settingsSchema } from './control-schema.js';
import type { SimulatorSettings } from './options.js';

/** The settings with what `change` names replaced. */
export function mergeSettings(current: SimulatorSettings, change: z.output<typeof settingsSchema>): SimulatorSettings {
  return {
    statuses: merge(current.statuses, change.statuses),
    pairLimit: merge(current.pairLimit, change.pairLimit),
    retry: merge(current.retry, change.retry),
    windowMs: change.windowMs ?? current.windowMs,
    maxWaitMs: change.maxWaitMs ?? current.maxWaitMs,
  };
}

function merge<T extends object>(current: T, change: { [K in keyof T]?: T[K] | undefined } | undefined): T {
  const named = Object.entries(change ?? {}).filter(([, value]) => value !== undefined);
  return { ...current, ...Object.fromEntries(named) };
}
