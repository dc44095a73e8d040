import fc from 'fast-check';
import { ageInWords, byTimeSaid, isLate, saidAt, type Arrival } from './arrival.js';

const at = (providerAt: number | null, arrivedAt: number, position = 0): Arrival => ({
  providerAt,
  arrivedAt,
  position,
});

it.each([
  ['said a moment before it arrived', 990, 1000, 990],
  ['said long ago', 5, 1000, 5],
  ['said right now', 1000, 1000, 1000],
  ['a clock ahead of ours', 1001, 1000, 1000],
  ['a clock days ahead of ours', 90_000_000, 1000, 1000],
  ['no time at all', null, 1000, 1000],
])('%s: clamped to the arrival', (_, providerAt, arrivedAt, said) => {
  expect(saidAt({ providerAt, arrivedAt })).toBe(said);
});

it.each([
  ['the time it was said', at(1000, 2000, 9), at(1001, 1999, 1)],
  ['the arrival, when two were said in the same second', at(1000, 1500, 9), at(1000, 1501, 1)],
  ['the position, when they came in one webhook', at(1000, 1500, 1), at(1000, 1500, 2)],
  ['the clamped time, when a clock runs ahead', at(9999, 1500, 1), at(1600, 1600, 0)],
])('orders by %s', (_, first, second) => {
  expect([second, first].sort(byTimeSaid)).toEqual([first, second]);
  expect([first, second].sort(byTimeSaid)).toEqual([first, second]);
});

it('puts any shuffle of the same messages into one order', () => {
  const message = fc.record({ providerAt: fc.option(fc.nat({ max: 3 })), arrivedAt: fc.nat({ max: 3 }) });
  const stream = fc
    .array(message, { maxLength: 12 })
    .map((messages) => messages.map((one, position): Arrival => ({ ...one, position })));
  const shuffled = stream.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([all, shuffle]) => {
      expect([...shuffle].sort(byTimeSaid)).toEqual([...all].sort(byTimeSaid));
    }),
  );
});

it.each([
  [900_000, 1_000_000, 1_899_999, false],
  [900_000, 1_000_000, 1_900_000, false],
  [900_000, 1_000_000, 1_900_001, true],
  [0, 1000, 1000, false],
  [0, 1000, 1001, true],
  [Infinity, 0, 9e15, false],
])('late after %d ms: said at %d, now %d: %s', (lateAfterMs, said, now, late) => {
  expect(isLate(said, lateAfterMs, now)).toBe(late);
});

it.each([
  [59_999, 'less than a minute'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [12_000_000, '3 h 20 min'],
  [86_400_000, '1 d'],
  [2 * 86_400_000 + 5 * 3_600_000 + 60_000, '2 d 5 h'],
])('%d ms is an age of %s', (ms, words) => {
  expect(ageInWords(ms)).toBe(words);
});
