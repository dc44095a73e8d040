import { report } from './report.mjs';

const options = { rounds: 2, seconds: 1, connections: 1 };
const run = (perSecond, lost = 0) => ({
  ...{ perSecond, p50: 1, p99: 2, max: 3, cpuUs: 50, refused: 0, errors: 0 },
  ...{ acknowledged: perSecond, lost },
});
const runs = (ours, naive) =>
  new Map([
    ['oneturn', ours],
    ['naive-fastify', naive],
  ]);

it('compares round by round, so that a slow round of both does not count', () => {
  const { result } = report(runs([run(600), run(60)], [run(100), run(10)]), [], options);
  expect(result.ratios['naive-fastify']).toEqual({ median: 6, least: 6, most: 6 });
  expect(result.failed).toEqual([]);
});

it('fails below the bar', () => {
  const { text, result } = report(runs([run(590), run(590)], [run(100), run(100)]), [], options);
  expect(result.failed).toHaveLength(1);
  expect(text).toContain('MISSED: 5.90 times naive-fastify');
});

it('fails when anything that was acknowledged is gone, and when a kill proved nothing', () => {
  const lost = report(runs([run(600, 1), run(600)], [run(100), run(100)]), [], options);
  expect(lost.result.failed).toHaveLength(1);
  const kills = [
    { killed: 'ingest', acknowledged: 10, lost: 1 },
    { killed: 'ingest and Postgres', acknowledged: 0, lost: 0 },
  ];
  expect(report(new Map(), kills, options).result.failed).toHaveLength(2);
});
