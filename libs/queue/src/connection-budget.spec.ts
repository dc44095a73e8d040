import { connectionsNeeded } from './connection-budget.js';

it('counts a pool and a listener per worker, a pool per queue', () => {
  expect(connectionsNeeded({ consumes: 2, produces: 2 })).toBe(10);
  expect(connectionsNeeded({ consumes: 0, produces: 0 })).toBe(0);
});
