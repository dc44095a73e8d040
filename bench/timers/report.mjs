import { judge, shownNumber } from '../parts/judge.mjs';
import { spread, tail } from '../parts/percentiles.mjs';
import { linePlot } from '../parts/plot.mjs';
import { table } from '../parts/summary.mjs';

/** The default of SWEEP_MS. */
const sweepMs = 1_000;

/** What tells a responder that a batch is due, and the bars, ms. Lower, never raise. */
export const wakes = [
  { name: 'redis', redis: true, bars: { p50: 100, p99: 300 } },
  { name: 'postgres', bars: { p50: 120, p99: 300 } },
  { name: 'redis-gone', redis: true, gone: true, bars: { p99: sweepMs + 300 } },
];

const head = ['queue', 'batches', 'windows open', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'not started', 'not 200'];

/**
 * @param {{name: string, waits: number[], open: number, notStarted: number, refused: number}[]} runs one per kind of
 *   wake-up; `waits` from due to the start of the turn, ms, and for those not started until now.
 */
export function report(runs, { seconds, rate, window, turns }) {
  const measured = runs.map(({ waits, ...run }) => ({ ...run, ...spread(waits) }));
  const { lines, failed } = judge(measured.flatMap(barsOf));
  const rows = measured.map((run) => [
    run.name,
    ...[run.count, run.open, run.p50, run.p90, run.p99, run.max, run.notStarted, run.refused].map(shownNumber),
  ]);
  const text = [
    `timers: from due to the start of the turn, ${rate} batches due per second for ${seconds} s, window ${window} ms,`,
    `${turns} turns at once, the model answers at once that nothing is to be said`,
    '',
    table(head, rows),
    '',
    ...lines,
  ].join('\n');
  const plot = linePlot({
    title: 'From due to the start of the turn: so many take longer',
    x: 'nines: 1 = one in 10, 2 = one in 100, 3 = one in 1,000',
    y: 'ms',
    log: true,
    series: runs.map(({ name, waits }) => ({ name, points: tail(waits) })),
  });
  return { text, failed, plot, result: { options: { seconds, rate, window, turns }, runs: measured } };
}

function barsOf(run) {
  const { bars } = wakes.find(({ name }) => name === run.name);
  return [
    ...Object.entries(bars).map(([figure, most]) => ({
      what: `${run.name}, ${figure}`,
      value: run[figure],
      most,
      unit: ' ms',
    })),
    { what: `${run.name}, not started`, value: run.notStarted, most: 0 },
  ];
}
