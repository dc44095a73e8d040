import { createLogger } from '#process';
import { oneByOneOnFailure } from './one-by-one.js';

const log = createLogger('spec', 'silent');
const rows = ['1', '2', '3'].map((id) => ({ id }));

/** A step that throws whenever `bad` is among its rows. */
function stepThatFailsOn(bad: string, error = new Error('cannot read this row')) {
  const seen: string[] = [];
  const step = (group: { id: string }[]): Promise<number> => {
    const ids = group.map(({ id }) => id);
    seen.push(ids.join());
    return ids.includes(bad) ? Promise.reject(error) : Promise.resolve(group.length);
  };
  return { seen, step };
}

it('takes all rows together when it can', async () => {
  const { seen, step } = stepThatFailsOn('none');
  expect(await oneByOneOnFailure(rows, step, () => Promise.reject(new Error('not isolated')), log)).toBe(3);
  expect(seen).toEqual(['1,2,3']);
});

it('gives the one row that throws to a person, and the others go on', async () => {
  const { seen, step } = stepThatFailsOn('2');
  const isolated: string[] = [];
  const isolate = (row: { id: string }, error: string) => Promise.resolve(void isolated.push(`${row.id}: ${error}`));
  expect(await oneByOneOnFailure(rows, step, isolate, log)).toBe(2);
  expect(seen).toEqual(['1,2,3', '1', '2', '3']);
  expect(isolated).toEqual(['2: cannot read this row']);
});

it.each(['connect ECONNREFUSED 127.0.0.1:5432', 'Connection terminated unexpectedly', 'timeout exceeded'])(
  'an outage is nobody’s fault: %s',
  async (message) => {
    const { seen, step } = stepThatFailsOn('2', new Error(message));
    const isolated: string[] = [];
    const done = oneByOneOnFailure(rows, step, (row) => Promise.resolve(void isolated.push(row.id)), log);
    await expect(done).rejects.toThrow(message);
    expect([seen, isolated]).toEqual([['1,2,3'], []]);
  },
);

it('nothing to do is nothing done', async () => {
  expect(
    await oneByOneOnFailure(
      [],
      () => Promise.reject(new Error('called')),
      () => Promise.resolve(),
      log,
    ),
  ).toBe(0);
});
