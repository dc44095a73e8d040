import { judge, shownNumber } from '../parts/judge.mjs';
import { linePlot } from '../parts/plot.mjs';
import { shown, summarize, table } from '../parts/summary.mjs';

/** Answered messages per second of oneturn by those of a peer. Raise, never lower. */
const bars = { 'chat-sdk-burst': 1.5 };

/**
 * @param {Map<string, object[]>} runs figures per contender, one per round.
 * @param {object | undefined} light of oneturn, with people who write one after the other.
 */
export function report(runs, light, { rounds, people, turns, window, old }) {
  const ratios = ratiosTo(runs);
  const judged = Object.entries(ratios)
    .filter(([peer]) => bars[peer] !== undefined)
    .map(([peer, { median }]) => ({ what: `oneturn / ${peer}`, value: median, least: bars[peer] }));
  const ours = runs.get('oneturn') ?? [];
  const total = (name) => ours.reduce((sum, run) => sum + run[name], 0);
  const { lines, failed } = judge([
    ...judged,
    { what: 'oneturn, messages without an answer', value: total('sent') - total('answered'), most: 0 },
    { what: 'oneturn, messages answered twice', value: total('twice'), most: 0 },
  ]);
  const text = [
    `pipeline: bursts of five from ${people} people, ${turns} turns at once, window ${window} ms, model and channel answer`,
    `at once, three statuses per part; ${old.toLocaleString('en-US')} old events in oneturn's table; ${rounds} rounds: median (range)`,
    '',
    table(
      rateHead,
      [...runs].map(([name, all]) => rateRow(name, all)),
    ),
    '',
    'Cost per message, counted by the stores:',
    '',
    table(priceHead, [
      ...[...runs].map(([name, all]) => priceRow(name, all)),
      ...(light ? [priceRow('oneturn, one person at a time', [light])] : []),
    ]),
    '',
    ...Object.entries(ratios).map(([peer, ratio]) => `oneturn / ${peer}: ${shown(ratio, 2)}`),
    ...lines,
  ].join('\n');
  const plot = linePlot({
    title: 'Messages per second from the webhook to the accepted reply',
    x: 'round',
    y: 'messages per second',
    series: [...runs].map(([name, all]) => ({ name, points: all.map((run, round) => [round + 1, run.perSecond]) })),
  });
  const contenders = Object.fromEntries(runs);
  return { text, failed, plot, result: { options: { rounds, people, turns, window, old }, ratios, contenders, light } };
}

/** Round by round, because the two of one round had the same neighbours. */
function ratiosTo(runs) {
  const ours = runs.get('oneturn');
  const peers = [...runs].filter(([name, all]) => ours !== undefined && name !== 'oneturn' && all.length > 0);
  return Object.fromEntries(
    peers.map(([name, all]) => [name, summarize(all.map((run, round) => ours[round].perSecond / run.perSecond))]),
  );
}

const rateHead = ['program', 'messages/s', 'sent', 'never answered', 'twice', 'parts', 'statuses not 200'];

function rateRow(name, all) {
  const sum = (key) => all.reduce((total, run) => total + run[key], 0);
  const counts = [sum('sent'), sum('sent') - sum('answered'), sum('twice'), sum('parts'), sum('statusesOpen')];
  return [name, shown(summarize(all.map((run) => run.perSecond))), ...counts.map(shownNumber)];
}

const prices = {
  roundTrips: 'Postgres round trips',
  commits: 'commits',
  logBytes: 'WAL bytes',
  jobs: 'queue jobs',
  redisCommands: 'Redis commands',
  redisBytes: 'bytes to Redis',
};
const priceHead = ['program', ...Object.values(prices)];

function priceRow(name, all) {
  const median = (key) => summarize(all.map(({ price }) => price[key])).median;
  return [name, ...Object.keys(prices).map((key) => shownNumber(median(key)))];
}
