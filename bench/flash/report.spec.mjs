import { report } from './report.mjs';

const options = { base: 60, compress: 20, people: 10 };
const run = (more = {}) => ({
  ...{ modelS: 0, turns: 5, sent: 10, twice: 0, curve: [[0, 1]] },
  fates: { answered: 7, late: 2, review: 1, waiting: 0 },
  acks: { before: [2, 3], sale: [40, 50], after: [3, 4], refused: 0 },
  ...more,
});

it('is content with any end of a message, as long as each has one', () => {
  expect(report([run()], options).failed).toEqual([]);
  const waiting = { answered: 9, late: 0, review: 0, waiting: 1 };
  expect(report([run({ fates: waiting })], options).failed).toHaveLength(1);
  const gone = { answered: 9, late: 0, review: 0, waiting: 0 };
  expect(report([run({ fates: gone })], options).failed).toHaveLength(1);
});

it('compares acknowledgements at the same rate, with the backlog and without', () => {
  const slow = { before: [20, 20], sale: [20, 20], after: [40, 40], refused: 0 };
  expect(report([run({ acks: slow })], options).failed).toHaveLength(1);
});
