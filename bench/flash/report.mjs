import { judge, shownNumber } from '../parts/judge.mjs';
import { spread } from '../parts/percentiles.mjs';
import { linePlot } from '../parts/plot.mjs';
import { table } from '../parts/summary.mjs';

/** Not slower: what is within this is noise; ms. */
const noiseMs = 15;
const noise = 1.5;
const head = [
  ...['model', 'turns', 'messages', 'answered', 'late', 'review', 'waiting', 'twice', 'most open', 'empty after min'],
  ...['ack p99 before ms', 'in the sale', 'after'],
];

/**
 * @param {{modelS: number, turns: number, sent: number, twice: number, fates: Record<string, number>, curve: number[][],
 *   acks: {before: number[], sale: number[], after: number[], refused: number}}[]} runs `curve`: minutes and messages.
 */
export function report(runs, { base, compress, people }) {
  const measured = runs.map(({ acks, ...run }) => ({
    ...run,
    acks: { before: spread(acks.before), sale: spread(acks.sale), after: spread(acks.after), refused: acks.refused },
    mostOpen: run.curve.reduce((most, [, open]) => Math.max(most, open), 0),
    emptyAfter: run.curve.findLast(([, open]) => open > 0)?.[0] ?? 0,
  }));
  const { lines, failed } = judge(measured.flatMap(barsOf));
  const share = (count, sent) => `${((100 * count) / sent).toFixed(1)} %`;
  const rows = measured.map(({ modelS, turns, sent, fates, twice, mostOpen, emptyAfter, acks }) => [
    ...[`${modelS} s`, String(turns), shownNumber(sent)],
    ...[fates.answered, fates.late, fates.review, fates.waiting].map((count) => share(count, sent)),
    ...[twice, mostOpen, emptyAfter, acks.before.p99, acks.sale.p99, acks.after.p99].map(shownNumber),
  ]);
  const text = [
    `flash: ${base} messages a minute, for ten minutes fifteen times as many, then as before; ${people} people; ${compress} times`,
    'faster than in life, all waits of a default installation and the model shortened alike; minutes uncompressed',
    '',
    table(head, rows),
    '',
    ...lines,
  ].join('\n');
  const plot = linePlot({
    title: 'Messages that wait for their turn',
    x: 'minutes (the sale from 3 to 13)',
    y: 'messages',
    series: runs.map(({ modelS, turns, curve }) => ({ name: `model ${modelS} s, ${turns} turns`, points: curve })),
  });
  return { text, failed, plot, result: { options: { base, compress, people }, runs: measured } };
}

function barsOf({ modelS, turns, sent, twice, fates, acks }) {
  const where = `model ${modelS} s, ${turns} turns`;
  const known = Object.entries(fates).reduce((sum, [fate, count]) => sum + (fate === 'waiting' ? 0 : count), 0);
  return [
    { what: `${where}: messages without an end`, value: sent - known, most: 0 },
    { what: `${where}: answered twice`, value: twice, most: 0 },
    { what: `${where}: not answered with 200`, value: acks.refused, most: 0 },
    {
      what: `${where}: p99 of acknowledgements while the backlog drains`,
      value: acks.after.p99,
      most: Math.max(noiseMs, Math.ceil(noise * acks.before.p99)),
      unit: ' ms',
    },
  ];
}
