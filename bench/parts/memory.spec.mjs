import { growthOf } from './memory.mjs';

it('compares the last third with the middle one', () => {
  const points = [10, 50, 100, 100, 110, 110].map((mb, second) => [second, mb]);
  expect(growthOf(points)).toBeCloseTo(1.1);
});

it('says nothing of too few', () => {
  expect(growthOf([[0, 1]])).toBeNaN();
});
