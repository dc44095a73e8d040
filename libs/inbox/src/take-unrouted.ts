/** Takes events that no batcher has given a place yet; what another batcher holds is skipped. */
import type { ParsedEvent } from '#domain';
import type { Tx } from './database.js';
import { POSITION } from './position-sql.js';

export interface UnroutedEvent {
  id: string;
  accountKey: string;
  accountId: string | null;
  externalId: string;
  providerAt: number | null;
  arrivedAt: number;
  position: number;
  event: ParsedEvent;
}

/**
 * `is null`, never a remembered position: lower ids may commit later than higher ones. `only` takes one event,
 * for finding the one that breaks a group. In the order of their arrival, which is not that of their ids: those of one
 * group commit follow its keys.
 */
export async function takeUnrouted(tx: Tx, limit: number, only: string | null): Promise<UnroutedEvent[]> {
  const rows = await tx.$queryRaw<(Omit<UnroutedEvent, 'event'> & { event: ParsedEvent | null })[]>`
    SELECT id::text, account_key AS "accountKey", account_id::text AS "accountId", external_id AS "externalId", epoch_ms(provider_at) AS "providerAt",
      epoch_ms(arrived_at) AS "arrivedAt", ${POSITION} AS position, parsed AS event
    FROM event WHERE routed_at IS NULL AND (${only}::bigint IS NULL OR id = ${only}::bigint)
    ORDER BY event.id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED`;
  return rows
    .map((row) => ({ ...row, event: row.event ?? { kind: 'unreadable' as const, why: 'nothing was parsed' } }))
    .sort((a, b) => a.arrivedAt - b.arrivedAt || a.position - b.position);
}
