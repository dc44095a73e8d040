import { percentile, spread } from './percentiles.mjs';

it('takes the nearest rank', () => {
  const sorted = [1, 2, 3, 4];
  expect([0.5, 0.75, 0.99, 1].map((share) => percentile(sorted, share))).toEqual([2, 3, 4, 4]);
});

it('sorts by number and says how many there were', () => {
  expect(spread([10, 9, 100])).toMatchObject({ count: 3, p50: 10, max: 100 });
  expect(spread([]).p99).toBeNaN();
});
