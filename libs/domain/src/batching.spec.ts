import fc from 'fast-check';
import { closeWhenFull, withMessage, type BatchTimes } from './batching.js';

const policy = { windowMs: 2000, maxWaitMs: 6000 };
const timesOf = (arrivals: number[], of = policy): BatchTimes =>
  arrivals.reduce<BatchTimes | null>((times, at) => withMessage(times, at, of), null) as BatchTimes;

it.each([
  ['one message', [0], 2000],
  ['each message restarts the window', [0, 1500], 3500],
  ['the cap counts from the first', [0, 1900, 3800, 5000], 6000],
  ['a message right before the cap', [0, 1900, 3800, 5995], 6000],
  ['a message at the cap', [0, 1900, 3800, 6000], 6000],
  ['a message right after the cap, still unclaimed', [0, 1900, 3800, 6005], 6000],
  ['the window ends where the cap does', [0, 4000], 6000],
  ['messages of the same instant', [500, 500, 500], 2500],
])('%s', (_, arrivals, dueAt) => {
  expect(timesOf(arrivals).dueAt).toBe(dueAt);
});

it.each([
  ['no window: due at once', { windowMs: 0, maxWaitMs: 6000 }, [7], 7],
  ['no window, and one more while it waits for a turn: still overdue', { windowMs: 0, maxWaitMs: 0 }, [7, 900], 7],
  ['cap as long as the window: it never restarts', { windowMs: 2000, maxWaitMs: 2000 }, [0, 1900], 2000],
])('%s', (_, of, arrivals, dueAt) => {
  expect(timesOf(arrivals, of).dueAt).toBe(dueAt);
});

it.each([
  ['below both bounds', { messages: 2, characters: 99 }, 2000],
  ['as many messages as it may hold', { messages: 3, characters: 5 }, 700],
  ['as many characters as it may hold', { messages: 1, characters: 100 }, 700],
])('%s', (_, size, dueAt) => {
  const times = { firstAt: 0, lastAt: 700, dueAt: 2000 };
  expect(closeWhenFull(times, size, { maxMessages: 3, maxCharacters: 100 }, 700)).toEqual({ ...times, dueAt });
});

it('a full batch that was due before stays due then', () => {
  const times = { firstAt: 0, lastAt: 700, dueAt: 600 };
  expect(closeWhenFull(times, { messages: 9, characters: 0 }, { maxMessages: 3, maxCharacters: 9 }, 700).dueAt).toBe(
    600,
  );
});

it('does not depend on the order in which a burst is routed, and no message moves a batch past its cap', () => {
  const anyPolicy = fc
    .record({ windowMs: fc.nat({ max: 50 }), beyond: fc.nat({ max: 50 }) })
    .map(({ windowMs, beyond }) => ({ windowMs, maxWaitMs: windowMs + beyond }));
  const burst = fc.array(fc.nat({ max: 200 }), { minLength: 1, maxLength: 10 });
  const shuffled = burst.chain((all) => fc.shuffledSubarray(all, { minLength: all.length }));
  fc.assert(
    fc.property(anyPolicy, shuffled, (of, arrivals) => {
      const times = timesOf(arrivals, of);
      const first = Math.min(...arrivals);
      const last = Math.max(...arrivals);
      const dueAt = Math.min(last + of.windowMs, first + of.maxWaitMs);
      expect(times).toEqual({ firstAt: first, lastAt: last, dueAt });
    }),
  );
});
