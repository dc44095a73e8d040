import { report } from './run.mjs';

it('holds the median of each program to its bar', () => {
  const times = new Map([
    ['ingest', [1_000, 1_900, 9_000]],
    ['batcher', [2_100, 2_200, 1_000]],
    ['standalone', [4_900, 5_000, 6_000]],
  ]);
  expect(report(times, { rounds: 3 }).failed).toEqual(['batcher: 2,100 ms (bar: at most 2000 ms)']);
});
