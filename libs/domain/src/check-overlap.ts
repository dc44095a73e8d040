/** Checks what an account, or the environment, says about overlaps: every wrong value is named by its field. */
import {
  LOCK_SCOPES,
  OPTION_USED_BY,
  OVERLAP_DEFAULTS,
  QUEUE_FULL_ACTIONS,
  STRATEGIES,
  type Strategy,
} from './overlap-policy.js';

export interface OverlapCheck {
  /** Wrong values: the settings must be refused. Each begins with the name of its field. */
  problems: string[];
  /** Options that the strategy does not use: they are ignored. Each begins with the name of its field. */
  warnings: string[];
}

type Rule = (value: unknown) => string | null;

const oneOf =
  (values: readonly string[]): Rule =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? null : `must be one of ${values.join(', ')}`;
const atLeast =
  (least: number): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least ? null : `must be a whole number of at least ${least}`;
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? null : rule(value);

const RULES: Readonly<Record<string, Rule>> = {
  strategy: oneOf(STRATEGIES),
  windowMs: atLeast(0),
  maxWaitMs: atLeast(0),
  debounceMs: atLeast(0),
  maxQueueSize: atLeast(1),
  onQueueFull: oneOf(QUEUE_FULL_ACTIONS),
  queueEntryTtlMs: atLeast(1),
  maxConcurrent: orNull(atLeast(1)),
  maxRestarts: atLeast(0),
  lockScope: oneOf(LOCK_SCOPES),
};

/**
 * @param settings an account's overrides, as they came; fields that are no overlap setting are not looked at.
 * @param inherited the strategy that applies when the settings name none.
 *
 * @example
 * checkOverlap({ strategy: 'queue', maxQueueSize: 0 }).problems;
 * // ['maxQueueSize is 0: must be a whole number of at least 1']
 */
export function checkOverlap(
  settings: Readonly<Record<string, unknown>>,
  inherited: Strategy = OVERLAP_DEFAULTS.strategy,
): OverlapCheck {
  const given = Object.entries(settings).filter(([name, value]) => name in RULES && value !== undefined);
  const problems = given.flatMap(([name, value]) => {
    const wrong = (RULES[name] as Rule)(value);
    return wrong === null ? [] : [`${name} is ${shown(value)}: ${wrong}`];
  });
  if (problems.length > 0) return { problems, warnings: [] };
  const strategy = (settings['strategy'] as Strategy | undefined) ?? inherited;
  const warnings = given.flatMap(([name]) => {
    const users = (OPTION_USED_BY as Record<string, readonly Strategy[]>)[name];
    return users && !users.includes(strategy) ? [`${name} is ignored: strategy ${strategy} does not use it`] : [];
  });
  return { problems, warnings };
}

const shown = (value: unknown): string => (typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '?'));
