import { linePlot } from '../parts/plot.mjs';
import { shown, summarize, table } from '../parts/summary.mjs';

/** Requests per second of oneturn by those of a peer, at least. Raise, never lower. */
const bars = { bare: 0.4, 'queue-only': 1, 'naive-fastify': 6, 'chat-sdk-burst': 3, 'chat-sdk-queue': 3 };

/**
 * What the runs came to.
 * @param {Map<string, object[]>} runs figures per contender, one per round.
 * @returns {{text: string, result: object, plot: string}}
 */
export function report(runs, kills, { rounds, seconds, connections, old }) {
  const contenders = Object.fromEntries(
    [...runs].filter(([, all]) => all.length > 0).map(([name, all]) => [name, sumUp(all)]),
  );
  const ratios = rounds > 0 && contenders.oneturn ? ratiosTo(runs) : {};
  const failed = [...missedBars(ratios), ...losses(contenders, kills)];
  const rows = Object.entries(contenders).map(
    ([name, { perSecond, p50, p99, cpuUs, acknowledged, lost, troubled }]) => {
      const kept = lost === null ? 'keeps none' : String(lost);
      return [
        name,
        ...[perSecond, p50, p99, cpuUs].map((one) => shown(one)),
        String(acknowledged),
        kept,
        String(troubled),
      ];
    },
  );
  const head = [
    'program',
    '200s per second',
    'p50 ms',
    'p99 ms',
    'CPU us each',
    'acknowledged',
    'of these lost',
    'not 200',
  ];
  const lines = [
    `ingest, ${connections} connections, one message per webhook, ${rounds} rounds of ${seconds} s: median (range)`,
    `${(old ?? 0).toLocaleString('en-US')} old events in oneturn's table before; its peers begin empty`,
    ...(rows.length > 0 ? ['', table(head, rows)] : []),
    '',
    ...Object.entries(ratios).map(([peer, ratio]) => `oneturn / ${peer}: ${shown(ratio, 2)}${barOf(peer)}`),
    ...kills.map(({ killed, acknowledged, lost }) => `kill -9 of ${killed}: ${lost} of ${acknowledged} lost (bar: 0)`),
    ...failed.map((why) => `MISSED: ${why}`),
  ];
  const plot = linePlot({
    title: 'Webhooks acknowledged per second',
    x: 'round',
    y: '200s per second',
    log: true,
    series: [...runs].map(([name, all]) => ({ name, points: all.map((run, at) => [at + 1, run.perSecond]) })),
  });
  return {
    plot,
    text: lines.join('\n'),
    result: { options: { rounds, seconds, connections, old }, contenders, ratios, kills, failed },
  };
}

function sumUp(all) {
  const over = (key) => summarize(all.map((run) => run[key]));
  const total = (key) => all.reduce((sum, run) => sum + run[key], 0);
  return {
    perSecond: over('perSecond'),
    p50: over('p50'),
    p99: over('p99'),
    cpuUs: over('cpuUs'),
    acknowledged: total('acknowledged'),
    lost: all[0].lost === null ? null : total('lost'),
    troubled: total('refused') + total('errors'),
    runs: all,
  };
}

/** Round by round, because the two of one round had the same neighbours. */
function ratiosTo(runs) {
  const ours = runs.get('oneturn');
  const peers = [...runs.keys()].filter((name) => name !== 'oneturn');
  return Object.fromEntries(
    peers.map((name) => [name, summarize(runs.get(name).map((run, round) => ours[round].perSecond / run.perSecond))]),
  );
}

const barOf = (peer) => (bars[peer] === undefined ? '' : ` (bar: at least ${bars[peer]})`);

function missedBars(ratios) {
  return Object.entries(bars).flatMap(([peer, least]) =>
    ratios[peer] !== undefined && ratios[peer].median < least
      ? [`${ratios[peer].median.toFixed(2)} times ${peer}, the bar is ${least}`]
      : [],
  );
}

function losses(contenders, kills) {
  const ours = contenders.oneturn;
  const lost = kills.filter((kill) => kill.lost > 0 || kill.acknowledged === 0);
  return [
    ...(ours && ours.lost > 0 ? [`${ours.lost} acknowledged messages are not in the table`] : []),
    ...lost.map(({ killed, lost, acknowledged }) => `kill -9 of ${killed}: ${lost} of ${acknowledged} lost`),
  ];
}
