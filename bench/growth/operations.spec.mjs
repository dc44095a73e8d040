import { sumUp } from './operations.mjs';

const statement = (service, query) => ({ service, query, calls: 10, buffers: 100, ms: 5 });

it('counts a look for work per call, and everything else per message', () => {
  const sums = sumUp(
    [
      statement('ingest', 'WITH clock AS (...) INSERT INTO event (a, b) SELECT'),
      statement('responder', 'WITH clock AS (SELECT 1), ready AS (SELECT'),
    ],
    50,
  );
  expect(sums.get('acknowledge')).toEqual({ calls: 10, buffers: 2, ms: 0.1, unit: 'message' });
  expect(sums.get('sweep: batches')).toEqual({ calls: 10, buffers: 10, ms: 0.5, unit: 'call' });
});

it('tells apart what it does not know', () => {
  expect([...sumUp([statement('responder', 'COMMIT')], 1).keys()]).toEqual(['other of responder']);
});
