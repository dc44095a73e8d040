import { BoundedLog } from './bounded-log.js';
import { BoundedMap } from './bounded-map.js';

test('a log keeps the newest items in order and tells what it forgets', () => {
  const forgotten: number[] = [];
  const log = new BoundedLog<number>(3, (item) => forgotten.push(item));
  for (let i = 1; i <= 20; i += 1) log.add(i);
  expect(log.all()).toEqual([18, 19, 20]);
  expect(forgotten).toEqual(Array.from({ length: 17 }, (_, i) => i + 1));
  log.clear();
  log.add(21);
  expect(log.all()).toEqual([21]);
});

test('a map forgets its oldest keys', () => {
  const map = new BoundedMap<number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...map.entries()]).toEqual([
    ['b', 2],
    ['c', 4],
  ]);
});
