import { checkOverlap } from './check-overlap.js';
import { lockOf, overlapOf, OVERLAP_DEFAULTS, type LockFacts } from './overlap-policy.js';

it.each<[string, unknown, string]>([
  ['strategy', 'shuffle', 'must be one of batch, burst, queue, debounce, drop, concurrent, interrupt'],
  ['strategy', '', 'must be one of'],
  ['windowMs', -1, 'must be a whole number of at least 0'],
  ['maxWaitMs', NaN, 'must be a whole number of at least 0'],
  ['debounceMs', -1, 'must be a whole number of at least 0'],
  ['debounceMs', '100', 'must be a whole number of at least 0'],
  ['maxQueueSize', 0, 'must be a whole number of at least 1'],
  ['maxQueueSize', -3, 'must be a whole number of at least 1'],
  ['onQueueFull', 'panic', 'must be one of drop-oldest, drop-newest'],
  ['queueEntryTtlMs', 0, 'must be a whole number of at least 1'],
  ['maxConcurrent', 0, 'must be a whole number of at least 1'],
  ['maxConcurrent', 1.5, 'must be a whole number of at least 1'],
  ['maxConcurrent', Infinity, 'must be a whole number of at least 1'],
  ['maxRestarts', -1, 'must be a whole number of at least 0'],
  ['lockScope', 'galaxy', 'must be one of thread, channel'],
])('refuses %s %p by name', (field, value, wrong) => {
  const { problems } = checkOverlap({ [field]: value });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(new RegExp(`^${field} is `));
  expect(problems[0]).toContain(wrong);
});

it('names every wrong field at once, and leaves fields of others alone', () => {
  expect(checkOverlap({ maxQueueSize: 0, debounceMs: -1, lateAfterMs: -1 }).problems).toHaveLength(2);
});

it.each([
  [{ strategy: 'drop', maxQueueSize: 3 }, ['maxQueueSize']],
  [{ maxConcurrent: 2 }, ['maxConcurrent']],
  [{ strategy: 'queue', debounceMs: 100, windowMs: 5 }, ['debounceMs', 'windowMs']],
  [{ strategy: 'concurrent', maxConcurrent: null }, []],
  [{ strategy: 'interrupt', windowMs: 0, maxRestarts: 0, lockScope: 'thread' }, []],
])('%j: warns of what is ignored', (settings, ignored) => {
  const { problems, warnings } = checkOverlap(settings);
  expect(problems).toEqual([]);
  expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(ignored);
});

it('judges options by the strategy that an account inherits', () => {
  expect(checkOverlap({ maxQueueSize: 3 }, 'queue').warnings).toEqual([]);
});

it('fills in the defaults', () => {
  expect(overlapOf({})).toEqual(OVERLAP_DEFAULTS);
  expect(overlapOf({ strategy: 'burst', debounceMs: 0, lockScope: 'thread' })).toEqual({
    ...OVERLAP_DEFAULTS,
    ...{ strategy: 'burst', debounceMs: 0 },
  });
});

const facts = (channel: LockFacts['account']['channel'], threadId: string | null): LockFacts => ({
  account: { channel, externalId: '1' },
  ...{ threadId, channelId: 'chat', isDM: true },
});

it.each([
  ['WhatsApp by itself', undefined, facts('whatsapp', 't1'), ''],
  ['Telegram by itself', undefined, facts('telegram', 't1'), ''],
  ['Messenger by itself', undefined, facts('messenger', 't1'), 't1'],
  ['thread', 'thread' as const, facts('telegram', 't1'), 't1'],
  ['thread, in a chat without topics', 'thread' as const, facts('whatsapp', null), 'main'],
  ['channel', 'channel' as const, facts('messenger', 't1'), ''],
  [
    'a function',
    ({ isDM }: LockFacts) => (isDM ? ('thread' as const) : ('channel' as const)),
    facts('whatsapp', 't'),
    't',
  ],
])('lock scope: %s', (_, scope, of, lock) => {
  expect(lockOf(scope, of)).toBe(lock);
});
