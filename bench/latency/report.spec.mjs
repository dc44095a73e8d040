import { report } from './report.mjs';

const options = { seconds: 1, window: 1_000, turns: 5, people: 10, old: 0 };
const posts = (ms, status = 200) => Array.from({ length: 100 }, () => ({ kind: 'message', ms, status }));

it('holds each rate to its own bar, with Redis and without', () => {
  const runs = [
    { rate: 500, withRedis: true, answered: 1, posts: posts(4) },
    { rate: 1000, withRedis: true, answered: 1, posts: posts(40) },
    { rate: 500, withRedis: false, answered: 1, posts: posts(20) },
  ];
  const { failed } = report(runs, options);
  expect(failed).toHaveLength(2);
  expect(failed[0]).toContain('500/s, Redis stopped, p50');
});

it('fails when one was not acknowledged', () => {
  const one = [...posts(1), { kind: 'status', ms: 1, status: null }];
  expect(report([{ rate: 500, withRedis: true, answered: 1, posts: one }], options).failed).toHaveLength(1);
});
