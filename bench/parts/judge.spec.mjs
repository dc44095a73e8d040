import { judge } from './judge.mjs';

it('meets a bar exactly, and misses it beyond', () => {
  const { failed } = judge([
    { what: 'p50', value: 5, most: 5, unit: ' ms' },
    { what: 'p99', value: 15.4, most: 15, unit: ' ms' },
    { what: 'ratio', value: 0.4, least: 0.4 },
  ]);
  expect(failed).toEqual(['p99: 15.4 ms (bar: at most 15 ms)']);
});

it('misses the bar when nothing was measured', () => {
  expect(judge([{ what: 'p50', value: Number.NaN, most: 5 }]).failed).toHaveLength(1);
});
