import { report } from './report.mjs';

const options = { seconds: 1, rate: 1, window: 1_000, turns: 5 };
const run = (name, ms, notStarted = 0) => ({ name, waits: [ms, ms, ms], open: 3, notStarted, refused: 0 });

it('allows a whole sweep when Redis is gone, and not otherwise', () => {
  expect(report([run('redis-gone', 1_300)], options).failed).toEqual([]);
  expect(report([run('redis', 400)], options).failed).toHaveLength(2);
});

it('fails when a batch was not started at all', () => {
  expect(report([run('postgres', 50, 1)], options).failed).toHaveLength(1);
});
