import { constant } from './operations.mjs';
import { report } from './report.mjs';

const options = { rate: 1, seconds: 1, old: 10, soak: 3 };
const size = (conversations, buffers, ms) => ({
  conversations,
  sums: new Map(constant.map((name) => [name, { calls: 1, buffers, ms, unit: 'message' }])),
});

it('compares the largest size with the smallest', () => {
  expect(report([size(10, 100, 1), size(100, 500, 9), size(1000, 110, 1.5)], {}, options).failed).toEqual([]);
  expect(report([size(10, 100, 1), size(1000, 111, 1)], {}, options).failed).toHaveLength(constant.length);
});

it('fails when a service grows', () => {
  const points = [10, 100, 200].map((mb, second) => [second, mb]);
  expect(report([size(10, 1, 1)], { ingest: points }, options).failed).toHaveLength(1);
});
