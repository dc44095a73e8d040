/** A small plot of lines as SVG text: axes, a grid, a legend. */
const width = 760;
const height = 420;
const margin = { left: 70, right: 20, top: 48, bottom: 48 };
const colours = ['#0b6bcb', '#d1521f', '#2c8c4a', '#8a3fb5', '#a0760a', '#c2185b', '#00838f', '#5d4037'];

/**
 * @param {{title: string, x: string, y: string, log?: boolean, series: {name: string, points: [number, number][]}[]}} what
 *   `log`: the y axis rises by powers of ten.
 */
export function linePlot({ title, x, y, log = false, series }) {
  const points = series.flatMap((one) => one.points).filter(([, value]) => Number.isFinite(value));
  const xs = range(points.map(([value]) => value));
  const ys = log ? decades(points.map(([, value]) => value)) : range([0, ...points.map(([, value]) => value)]);
  const scaleX = (value) =>
    margin.left + ((value - xs.from) / (xs.to - xs.from)) * (width - margin.left - margin.right);
  const height0 = height - margin.top - margin.bottom;
  const place = log ? (value) => Math.log10(Math.max(value, 10 ** ys.from)) : (value) => value;
  const scaleY = (value) => height - margin.bottom - ((place(value) - ys.from) / (ys.to - ys.from)) * height0;
  const ticksY = log ? powers(ys) : ticks(ys);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    text(width / 2, 18, title, 'middle', 'font-weight="bold"'),
    text(width / 2, height - 10, x, 'middle'),
    `<g transform="rotate(-90 16 ${height / 2})">${text(16, height / 2, y, 'middle')}</g>`,
    ...ticksY.map((value) => line(margin.left, scaleY(value), width - margin.right, scaleY(value))),
    ...ticksY.map((value) => text(margin.left - 6, scaleY(value) + 4, short(value), 'end')),
    ...ticks(xs).map((value) => text(scaleX(value), height - margin.bottom + 16, short(value), 'middle')),
    ...series.map(({ points }, index) => path(points, scaleX, scaleY, colours[index % colours.length])),
    ...series.map(({ name }, index) => legend(name, index, series.length)),
    '</svg>',
    '',
  ].join('\n');
}

function range(values) {
  const from = values.reduce((least, value) => Math.min(least, value), Infinity);
  const to = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (!Number.isFinite(from)) return { from: 0, to: 1 };
  return { from, to: to > from ? to : from + 1 };
}

function decades(values) {
  const positive = values.filter((value) => value > 0);
  // The logarithm of nothing is no place on an axis.
  if (positive.length === 0) return { from: 0, to: 1 };
  const { from, to } = range(positive);
  const low = Math.floor(Math.log10(from));
  return { from: low, to: Math.max(low + 1, Math.ceil(Math.log10(to))) };
}

const powers = ({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));

/** Four to eight round values. */
function ticks({ from, to }) {
  const rough = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) => (first + index) * step);
}

const short = (value) => Number(value.toPrecision(4)).toLocaleString('en-US');
const escape = (raw) => raw.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const text = (x, y, raw, anchor, more = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" ${more}>${escape(raw)}</text>`;
const line = (x1, y1, x2, y2) =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#ddd"/>`;

function path(points, scaleX, scaleY, colour) {
  const shown = points.filter(([, value]) => Number.isFinite(value));
  const steps = shown.map(([x, y]) => `${scaleX(x).toFixed(1)},${scaleY(y).toFixed(1)}`);
  return `<polyline points="${steps.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.8"/>`;
}

function legend(name, index, count) {
  const x = margin.left + (index * (width - margin.left - margin.right)) / count;
  const colour = colours[index % colours.length];
  return `<rect x="${x.toFixed(1)}" y="30" width="12" height="4" fill="${colour}"/>${text(x + 16, 36, name, 'start', 'font-size="10"')}`;
}
