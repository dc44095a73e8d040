import { judge, shownNumber } from '../parts/judge.mjs';
import { spread, tail } from '../parts/percentiles.mjs';
import { linePlot } from '../parts/plot.mjs';
import { table } from '../parts/summary.mjs';

/** ms, by webhooks per second. Lower, never raise. */
const bars = { 500: { p50: 5, p99: 15 }, 1000: { p99: 50 } };
const head = [
  'rate',
  'Redis',
  'webhooks',
  'p50 ms',
  'p90 ms',
  'p99 ms',
  'p99.9 ms',
  'max ms',
  'not 200',
  'foreign',
  'answered',
];

/**
 * What the runs came to.
 * @param {{rate: number, withRedis: boolean, answered: number, posts: {kind: string, ms: number, status: number | null}[]}[]} runs
 */
export function report(runs, { seconds, window, turns, people, old }) {
  const measured = runs.map(({ posts, ...run }) => ({
    ...run,
    ...spread(posts.map(({ ms }) => ms)),
    notOk: posts.filter(({ status }) => status !== 200).length,
    foreign: posts.filter(({ kind }) => kind === 'foreign status').length,
  }));
  const { lines, failed } = judge(measured.flatMap(barsOf));
  const rows = measured.map((run) => [
    `${run.rate}/s`,
    run.withRedis ? 'running' : 'stopped',
    ...[run.count, run.p50, run.p90, run.p99, run.p999, run.max, run.notOk, run.foreign, run.answered].map(shownNumber),
  ]);
  const text = [
    `latency, open loop for ${seconds} s each, one message to three statuses, 1 % copies; ${people} people, window`,
    `${window} ms, ${turns} turns at once, ${old.toLocaleString('en-US')} old events; model and channel answer at once`,
    '',
    table(head, rows),
    '',
    ...lines,
  ].join('\n');
  const plot = linePlot({
    title: 'Latency of a webhook: so many are slower',
    x: 'nines: 1 = one in 10, 2 = one in 100, 3 = one in 1,000',
    y: 'ms, from when it was due',
    log: true,
    series: runs.map(({ rate, withRedis, posts }) => ({
      name: `${rate}/s${withRedis ? '' : ', Redis stopped'}`,
      points: tail(posts.map(({ ms }) => ms)),
    })),
  });
  return { text, failed, plot, result: { options: { seconds, window, turns, people, old }, runs: measured } };
}

function barsOf({ rate, withRedis, notOk, ...figures }) {
  const where = `${rate}/s${withRedis ? '' : ', Redis stopped'}`;
  return [
    ...Object.entries(bars[rate] ?? {}).map(([name, most]) => ({
      what: `${where}, ${name}`,
      value: figures[name],
      most,
      unit: ' ms',
    })),
    { what: `${where}, not answered with 200`, value: notOk, most: 0 },
  ];
}
