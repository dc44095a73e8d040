import { appendFileSync } from 'node:fs';

/**
 * Says how it went, in one line at the end; or, when a larger run adds up the counts of several commands
 * (ONETURN_TALLY names its file), leaves the line to that run.
 */
export function printTally({ passed, failed }) {
  const file = process.env.ONETURN_TALLY;
  if (file) appendFileSync(file, `${passed} ${failed}\n`);
  else console.log(`${passed} passed, ${failed} failed`);
}
