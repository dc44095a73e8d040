import { report } from './report.mjs';

const options = { rounds: 2, people: 1, turns: 5, window: 0, old: 0 };
const price = { roundTrips: 1, commits: 1, logBytes: 1, jobs: 1, redisCommands: 1, redisBytes: 1 };
const run = (perSecond, more = {}) => ({
  ...{ perSecond, sent: 10, answered: 10, twice: 0, parts: 2, statusesOpen: 0, price },
  ...more,
});
const runs = (ours, peer) =>
  new Map([
    ['oneturn', ours],
    ['chat-sdk-burst', peer],
  ]);

it('compares round by round', () => {
  const { failed, result } = report(runs([run(300), run(30)], [run(100), run(10)]), run(1), options);
  expect(failed).toEqual([]);
  expect(result.ratios['chat-sdk-burst'].median).toBe(3);
});

it('fails below the bar, and when a message was left or answered twice', () => {
  expect(report(runs([run(140)], [run(100)]), undefined, options).failed).toHaveLength(1);
  const left = run(300, { answered: 9, twice: 1 });
  expect(report(runs([left], [run(100)]), undefined, options).failed).toHaveLength(2);
});
