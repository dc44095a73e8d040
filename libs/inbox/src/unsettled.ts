import { Prisma } from './generated/client.js';

/**
 * Parts whose fate is open: what comes after them in the conversation waits. One of unknown fate counts until a person
 * has been asked. Worded like the partial index part_unsettled, so that it is used.
 */
export const unsettledPart = (alias: string): Prisma.Sql =>
  Prisma.raw(
    `(${alias}.state IN ('pending', 'sending') OR (${alias}.state = 'unknown' AND ${alias}.reason IS DISTINCT FROM 'in-review'))`,
  );
