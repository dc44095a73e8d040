/** Work is taken in groups; one row that makes the code throw must not stop its neighbours. */
import { isOutage } from '#inbox';
import type { Log } from '#process';

/**
 * Runs `step` on all rows together. When that throws for a reason that lies in the rows, it runs them one by one and
 * gives each that still throws to `isolate`. An outage is thrown on: it says nothing about the rows.
 * @returns the sum of what the steps returned.
 */
export async function oneByOneOnFailure<T extends { id: string }>(
  rows: T[],
  step: (rows: T[]) => Promise<number>,
  isolate: (row: T, error: string) => Promise<void>,
  log: Log,
): Promise<number> {
  if (rows.length === 0) return 0;
  try {
    return await step(rows);
  } catch (error) {
    if (isOutage(error)) throw error;
    log.error({ err: error, rows: rows.length }, 'a group cannot be claimed: taking its rows one by one');
  }
  let done = 0;
  for (const row of rows) {
    try {
      done += await step([row]);
    } catch (error) {
      if (isOutage(error)) throw error;
      log.error({ err: error, row: row.id }, 'this row cannot be claimed: a person must look at it');
      await isolate(row, error instanceof Error ? error.message : String(error));
    }
  }
  return done;
}
