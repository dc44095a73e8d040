/** SQLSTATE of what Prisma throws, and what follows from it. Codes: PostgreSQL documentation, appendix A. */

/** The five-character SQLSTATE of an error of a raw statement, or undefined when the database did not answer it. */
export function sqlState(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; isRecord(at) && depth < 6; depth++) {
    for (const name of ['originalCode', 'code'] as const) {
      const code = at[name];
      if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^P[12]0/.test(code)) return code;
    }
    const meta = at['meta'];
    at = isRecord(meta) && meta['driverAdapterError'] !== undefined ? meta['driverAdapterError'] : at['cause'];
  }
  return undefined;
}

/** Thrown inside a transaction whose first reads turned out stale under the locks: roll back and begin again. */
export class StaleRead extends Error {}

/** The same transaction may well succeed when it is run again: serialization failure, deadlock. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StaleRead) return true;
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** The data itself is refused, now and forever: data exceptions, constraint violations, program limits. */
export function isDataError(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && (state.startsWith('22') || state.startsWith('23') || state.startsWith('54'));
}

/**
 * The database is away, starting, stopping or overloaded: that says nothing about the rows, and the same step may
 * succeed later. Everything else that a step throws would be thrown again for the same row.
 */
export function isOutage(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(08|25|40|53|55|57)/.test(state);
  const text = error instanceof Error ? `${error.name} ${error.message}` : '';
  return /connect|ECONN|EPIPE|timeout|timed out|terminated|closed|P1001|P1017|P2024|P2028/i.test(text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
