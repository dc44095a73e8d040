/** The shared scenarios, exactly, on a virtual clock. The same file is played end to end in e2e/overlap. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Said } from '../specs/overlap-words.js';
import { liveOverlaps } from '../specs/overlap-world.js';
import type { OverlapSettings, Strategy } from './overlap-policy.js';
import type { Policy } from './policy.js';

interface Scenario {
  name: string;
  concurrency: Strategy | (OverlapSettings & Partial<Policy>);
  handlerMs: number;
  throwOn?: string[];
  lockScope?: 'thread' | 'channel';
  arrivals: [number, string, string?][];
  expect: {
    calls: { at: number; id: string; skipped: string[]; total: number; thread?: string }[];
    dropped?: Record<string, string>;
    expired?: string[];
    superseded?: string[];
    review?: string[];
    duplicates?: number;
  };
}

const SCENARIOS = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'specs', 'scenarios.json'), 'utf8'),
) as Scenario[];

const BASE: Policy = {
  ...{ windowMs: 20_000, maxWaitMs: 60_000, lateAfterMs: 900_000, maxAttempts: 1, retryBaseMs: 50 },
  ...{ unknownWaitMs: 30_000, unknownSend: 'review' },
};

it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', (_, scenario) => {
  const { concurrency, handlerMs, throwOn = [], lockScope, expect: expected } = scenario;
  const settings = typeof concurrency === 'string' ? { strategy: concurrency } : concurrency;
  const arrivals = scenario.arrivals.map(([at, id, thread = 'wa:c:t'], position): Said => {
    const [channel, chat] = thread.split(':');
    return { id, chat: `${channel}:${chat}`, thread, arrivedAt: at, providerAt: at, position };
  });
  const lived = liveOverlaps({
    policy: { ...BASE, ...settings, ...(lockScope ? { lockScope } : {}) },
    ...{ leaseMs: 10_000, tickMs: 1, arrivals },
    handling: ({ messages }) => ({
      ms: handlerMs,
      end: messages.some((said) => throwOn.includes(said.id)) ? 'fails' : 'replies',
      effectMs: null,
    }),
  });
  const ended = (how: string): string[] => lived.ends.filter((end) => end.how === how).map(({ said }) => said.id);
  const threads = expected.calls.some((call) => call.thread !== undefined);
  expect(
    lived.calls.map(({ at, messages, thread }) => {
      const ids = messages.map((said) => said.id);
      const call = { at, id: ids.at(-1), skipped: ids.slice(0, -1), total: ids.length };
      return threads ? { ...call, thread } : call;
    }),
  ).toEqual(expected.calls);
  for (const reason of ['busy', 'queue-full']) {
    const dropped = Object.entries(expected.dropped ?? {}).filter(([, why]) => why === reason);
    expect(ended(`dropped ${reason}`)).toEqual(dropped.map(([id]) => id));
  }
  expect(ended('expired')).toEqual(expected.expired ?? []);
  expect(ended('superseded')).toEqual(expected.superseded ?? []);
  expect(ended('review')).toEqual(expected.review ?? []);
  if (expected.duplicates !== undefined) expect(lived.duplicates).toBe(expected.duplicates);
  expect(lived.stranded).toEqual([]);
});
