/** Changes what an account's row overrides of the environment's policy. */
import { checkOverlap, type Strategy } from '#domain';
import type { Database } from './database.js';
import { isRowId } from './row-id.js';

export type PolicyChange =
  /** `warnings`: options that the strategy does not use. */
  | { kind: 'changed'; policy: Record<string, unknown>; warnings: string[] }
  /** Nothing was changed; every line begins with the name of a field. */
  | { kind: 'refused'; problems: string[] }
  | { kind: 'missing' };

/**
 * @param change fields to set; null takes a field out of the row, so that the environment's value applies again. (For
 *   maxConcurrent, which may itself be null, that is the same: no limit unless the environment has one.)
 * @param inherited the environment's strategy.
 */
export async function setAccountPolicy(
  db: Database,
  accountId: string,
  change: Readonly<Record<string, unknown>>,
  inherited: Strategy,
): Promise<PolicyChange> {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null));
  const { problems } = checkOverlap(given, inherited);
  if (problems.length > 0) return { kind: 'refused', problems };
  if (!isRowId(accountId)) return { kind: 'missing' };
  const rows = await db.prisma.$queryRaw<{ policy: Record<string, unknown> }[]>`
    UPDATE account SET policy = jsonb_strip_nulls(policy || ${JSON.stringify(change)}::jsonb) WHERE id = ${accountId}::bigint
    RETURNING policy`;
  const policy = rows[0]?.policy;
  if (!policy) return { kind: 'missing' };
  return { kind: 'changed', policy, warnings: checkOverlap(policy, inherited).warnings };
}
