import { linePlot } from './plot.mjs';

const axes = { title: 'a < b', x: 'seconds', y: 'ms' };

it('draws each series between the axes, and escapes what it is given', () => {
  const points = [
    [0, 0],
    [10, 50],
  ];
  const svg = linePlot({ ...axes, series: [{ name: 'one', points }] });
  expect(svg).toContain('points="70.0,372.0 740.0,48.0"');
  expect(svg).toContain('a &lt; b');
});

it('goes by powers of ten when asked', () => {
  const points = [
    [0, 1],
    [1, 100],
    [2, 10],
  ];
  const svg = linePlot({ ...axes, log: true, series: [{ name: 'one', points }] });
  expect(svg).toContain('points="70.0,372.0 405.0,48.0 740.0,210.0"');
});

it('draws something when there is nothing', () => {
  expect(linePlot({ ...axes, series: [{ name: 'none', points: [] }] })).toContain('</svg>');
});
