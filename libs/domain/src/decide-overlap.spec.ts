import type { Arrival } from './arrival.js';
import { decideOverlap, expiredOf, NO_LIMIT, type OverlapFacts, type TurnUnderWay } from './decide-overlap.js';
import { overlapOf, STRATEGIES, type OverlapSettings, type Strategy } from './overlap-policy.js';

const now = 10_000;
const said = (position: number, arrivedAt: number): Arrival => ({ position, arrivedAt, providerAt: null });
const message = said(9, now);
const running: TurnUnderWay = {
  ...{ state: 'running', sameThread: true, firstAt: now - 1000, restarts: 0, irreversible: false },
};
const decide = (settings: OverlapSettings, facts: Partial<OverlapFacts>) =>
  decideOverlap(
    { message, collecting: null, waiting: false, turn: null, ...facts },
    overlapOf({ windowMs: 2000, maxWaitMs: 6000, debounceMs: 500, maxQueueSize: 2, maxConcurrent: 3, ...settings }),
    now,
  );
/** A decision in a few words: what, due after how long, who goes, what becomes of the turn. */
const inWords = (decision: ReturnType<typeof decide>): string => {
  if (decision.kind === 'drop') return `drop ${decision.reason}`;
  const due = `${decision.kind} +${decision.times.dueAt - now}`;
  if (decision.kind === 'dispatch') return `${due} ×${decision.slots}`;
  const gone = decision.leaving.map((one) => ` ${one.outcome} ${one.message.position}`).join('');
  return `${due}${gone}${decision.turn === 'leave' ? '' : ` ${decision.turn}`}`;
};

const waiting = [said(1, now - 400), said(2, now - 300)];
const collecting = { firstAt: now - 400, lastAt: now - 300, dueAt: now + 100, messages: waiting };

it.each<[Strategy, string, string, string]>([
  // strategy, idle, while a turn runs, while a turn runs and two wait
  ['batch', 'collect +2000', 'collect +2000', 'collect +2000'],
  ['burst', 'collect +500', 'collect +0', 'collect +0 dropped 1'],
  ['queue', 'dispatch +0 ×1', 'collect +0', 'collect +0 dropped 1'],
  ['debounce', 'collect +500', 'collect +500', 'collect +500 superseded 1 superseded 2'],
  ['drop', 'dispatch +0 ×1', 'drop busy', 'drop busy'],
  ['interrupt', 'collect +2000', 'collect +2000 interrupt', 'collect +2000'],
  ['concurrent', 'dispatch +0 ×3', 'dispatch +0 ×3', 'dispatch +0 ×3'],
])('%s', (strategy, idle, busy, full) => {
  expect(inWords(decide({ strategy }, {}))).toBe(idle);
  expect(inWords(decide({ strategy }, { turn: running }))).toBe(busy);
  expect(inWords(decide({ strategy }, { turn: running, collecting, waiting: true }))).toBe(full);
});

it.each<[string, OverlapSettings, Partial<OverlapFacts>, string]>([
  [
    'a full queue that keeps its oldest',
    { strategy: 'queue', onQueueFull: 'drop-newest' },
    { collecting, waiting: true },
    'drop queue-full',
  ],
  ['burst: the wait is fixed by the first', { strategy: 'burst', maxQueueSize: 9 }, { collecting }, 'collect +100'],
  ['queue: what waits goes first', { strategy: 'queue', maxQueueSize: 9 }, { collecting, waiting: true }, 'collect +0'],
  ['queue: also what waits in another thread', { strategy: 'queue' }, { waiting: true }, 'collect +0'],
  ['drop: what waits counts as busy', { strategy: 'drop' }, { waiting: true }, 'drop busy'],
  ['concurrent without limit', { strategy: 'concurrent', maxConcurrent: null }, {}, `dispatch +0 ×${NO_LIMIT}`],
  ['interrupt: nobody runs yet', { strategy: 'interrupt' }, { turn: { ...running, state: 'queued' } }, 'collect +2000'],
  ['interrupt: an effect', { strategy: 'interrupt' }, { turn: { ...running, irreversible: true } }, 'collect +2000'],
  [
    'interrupt: another thread',
    { strategy: 'interrupt' },
    { turn: { ...running, sameThread: false } },
    'collect +2000',
  ],
  ['interrupt: often enough', { strategy: 'interrupt' }, { turn: { ...running, restarts: 2 } }, 'collect +2000'],
  ['interrupt: once more', { strategy: 'interrupt' }, { turn: { ...running, restarts: 1 } }, 'collect +2000 interrupt'],
  ['interrupt: at the cap', { strategy: 'interrupt' }, { turn: { ...running, firstAt: now - 6000 } }, 'collect +2000'],
  [
    'interrupt: right before the cap, which still counts',
    { strategy: 'interrupt' },
    { turn: { ...running, firstAt: now - 5999 } },
    'collect +1 interrupt',
  ],
  [
    'interrupt: between two attempts',
    { strategy: 'interrupt' },
    { turn: { ...running, state: 'retry_wait' } },
    'collect +2000',
  ],
  [
    'debounce: what waits for a retry',
    { strategy: 'debounce' },
    { turn: { ...running, state: 'retry_wait' } },
    'collect +500 supersede',
  ],
  [
    'debounce: a retry with an effect',
    { strategy: 'debounce' },
    { turn: { ...running, state: 'retry_wait', irreversible: true } },
    'collect +500',
  ],
  [
    'debounce: one that was said before the waiting',
    { strategy: 'debounce' },
    { message: said(0, now - 500), collecting: { ...collecting, messages: [said(2, now - 300)] } },
    'collect +200 superseded 0',
  ],
])('%s', (_, settings, facts, expected) => {
  expect(inWords(decide(settings, facts))).toBe(expected);
});

it('expires what has waited longer than allowed, and not what is as old as allowed', () => {
  const messages = [said(1, now - 51), said(2, now - 50)];
  for (const strategy of STRATEGIES) {
    const gone = expiredOf(messages, overlapOf({ strategy, queueEntryTtlMs: 50 }), now).map((one) => one.position);
    expect([strategy, gone]).toEqual([strategy, ['burst', 'queue', 'debounce'].includes(strategy) ? [1] : []]);
  }
});
