import { judge, shownNumber } from '../parts/judge.mjs';
import { growthOf } from '../parts/memory.mjs';
import { linePlot } from '../parts/plot.mjs';
import { table } from '../parts/summary.mjs';
import { constant } from './operations.mjs';

/** The largest size by the smallest. Lower, never raise. */
const bars = { buffers: 1.1, ms: 1.5, memory: 1.1 };

/**
 * @param {{conversations: number, sums: Map<string, {buffers: number, ms: number, unit: string}>}[]} sizes rising.
 * @param {Record<string, [number, number][]>} memory seconds and MB per service.
 */
export function report(sizes, memory, { rate, seconds, old, soak }) {
  const names = [...new Set(sizes.flatMap(({ sums }) => [...sums.keys()]))].sort(byRank);
  const ratio = (name, key) => sizes.at(-1).sums.get(name)?.[key] / sizes[0].sums.get(name)?.[key];
  const judged = constant.flatMap((name) => [
    { what: `${name}, buffers, largest by smallest`, value: ratio(name, 'buffers'), most: bars.buffers },
    { what: `${name}, time, largest by smallest`, value: ratio(name, 'ms'), most: bars.ms },
  ]);
  const services = Object.entries(memory);
  const { lines, failed } = judge([
    ...(sizes.length > 1 ? judged : []),
    ...services.map(([name, points]) => ({ what: `memory of ${name}`, value: growthOf(points), most: bars.memory })),
  ]);
  const cell = (name, key) => sizes.map(({ sums }) => sums.get(name)?.[key] ?? Number.NaN).map(shownNumber);
  const head = sizes.map(({ conversations }) => `${conversations / 1000} thousand`);
  const rows = names.map((name) => [name, unitOf(sizes, name), ...cell(name, 'buffers'), ...cell(name, 'ms')]);
  const text = [
    `growth: ${old} old events per conversation, ${rate} messages per second for ${seconds} s over all of them`,
    '',
    table(['operation', 'per', ...head.map((one) => `buffers ${one}`), ...head.map((one) => `ms ${one}`)], rows),
    '',
    ...services.map(
      ([name, points]) =>
        `memory of ${name}: ${points.at(0)[1].toFixed(0)} MB, after ${soak} s ${points.at(-1)[1].toFixed(0)} MB`,
    ),
    ...lines,
  ].join('\n');
  const plot = linePlot({
    title: 'Buffers touched per operation',
    x: 'conversations, powers of ten',
    y: 'buffers',
    series: constant.map((name) => ({
      name,
      points: sizes.map(({ conversations, sums }) => [
        Math.log10(conversations),
        sums.get(name)?.buffers ?? Number.NaN,
      ]),
    })),
  });
  const plain = sizes.map(({ conversations, sums }) => ({ conversations, operations: Object.fromEntries(sums) }));
  return { text, failed, plot, result: { options: { rate, seconds, old, soak }, sizes: plain, memory } };
}

const rank = (name) => (constant.includes(name) ? constant.indexOf(name) : constant.length);
const byRank = (a, b) => rank(a) - rank(b) || a.localeCompare(b);
const unitOf = (sizes, name) => sizes.map(({ sums }) => sums.get(name)?.unit).find((unit) => unit !== undefined);
