/** What must not be: rows without a final outcome beyond their time, and rows that contradict each other. */
import { Prisma } from './generated/client.js';
import { unsettledPart } from './unsettled.js';

export interface AuditRules {
  /** The environment's cap of a batch, ms; accounts may override it. */
  maxWaitMs: number;
  /** How long a part of unknown fate waits for evidence before a person is asked, ms. */
  unknownWaitMs: number;
}

/** How long anything may be behind its time before it counts as forgotten: many sweeps have passed by then. */
const GRACE_MS = 60_000;
const UNKNOWN_MAX_MS = 10 * 60_000;
/** A day for statuses of foreign messages, and an hour for the janitor. */
const PARKED_MAX_MS = 25 * 3_600_000;

const ago = (ms: number): Prisma.Sql => Prisma.sql`(SELECT now FROM clock) - ${ms}::float8 * interval '1 millisecond'`;
/** The conversation of `batch` has parts, or an earlier turn, that the batch has to wait for. */
const blocked = (batch: string): Prisma.Sql => {
  const id = Prisma.raw(`${batch}.conversation_id`);
  return Prisma.sql`(EXISTS (SELECT FROM part p WHERE p.conversation_id = ${id} AND ${unsettledPart('p')})
    OR EXISTS (SELECT FROM batch o LEFT JOIN conversation oc ON oc.id = o.conversation_id
      WHERE o.state IN ('running', 'retry_wait') AND o.id <> ${Prisma.raw(`${batch}.id`)}
        AND (o.conversation_id = ${id} OR oc.merged_into_id = ${id})))`;
};

/** Overdue rows, found through the partial indexes: cheap however big the tables are. Columns: kind, id, why, since. */
function overdue(rules: AuditRules): Prisma.Sql[] {
  return [
    Prisma.sql`SELECT 'event' AS kind, id, 'not routed' AS why, arrived_at AS since FROM event
      WHERE routed_at IS NULL AND arrived_at < ${ago(GRACE_MS)}`,
    Prisma.sql`SELECT 'event', e.id, 'routed, but neither in an open batch nor parked', e.routed_at FROM event e
      WHERE e.routed_at IS NOT NULL AND e.outcome IS NULL
        AND NOT EXISTS (SELECT FROM batch b WHERE b.id = e.batch_id AND b.state IN ('collecting', 'queued'))
        AND NOT EXISTS (SELECT FROM parked_status s WHERE s.event_id = e.id)`,
    Prisma.sql`SELECT 'batch', b.id, 'due, and no turn has claimed it', b.due_at FROM batch b
        JOIN conversation c ON c.id = b.conversation_id JOIN account a ON a.id = c.account_id
      WHERE b.state = 'collecting' AND b.due_at < ${ago(GRACE_MS)} AND b.due_at < (SELECT now FROM clock) - interval '1 minute'
          - coalesce((a.policy ->> 'maxWaitMs')::float8, ${rules.maxWaitMs}) * interval '1 millisecond'
        AND c.taken_over_at IS NULL AND NOT ${blocked('b')}`,
    Prisma.sql`SELECT 'batch', b.id, 'dispatched, and no turn has claimed it', b.due_at FROM batch b
        JOIN conversation c ON c.id = b.conversation_id
      WHERE b.state = 'queued' AND b.due_at < ${ago(GRACE_MS)} AND c.taken_over_at IS NULL AND NOT ${blocked('b')}
        AND NOT EXISTS (SELECT FROM batch q WHERE q.state = 'queued' AND q.conversation_id = b.conversation_id AND q.id < b.id)`,
    Prisma.sql`SELECT 'batch', id, 'running under a lease that lapsed', lease_until FROM batch
      WHERE state = 'running' AND lease_until < ${ago(GRACE_MS)}`,
    Prisma.sql`SELECT 'batch', b.id, 'its next attempt is overdue', b.next_attempt_at FROM batch b
      WHERE b.state = 'retry_wait' AND b.next_attempt_at < ${ago(GRACE_MS)} AND NOT ${blocked('b')}`,
    Prisma.sql`SELECT 'part', p.id, 'not sent although nothing holds it back', p.next_attempt_at
      FROM part p JOIN conversation c ON c.id = p.conversation_id JOIN account a ON a.id = c.account_id
      WHERE p.state = 'pending' AND p.next_attempt_at < ${ago(GRACE_MS)} AND a.paused_at IS NULL
        AND (a.backoff_until IS NULL OR a.backoff_until < ${ago(GRACE_MS)})
        AND (c.next_send_at IS NULL OR c.next_send_at < ${ago(GRACE_MS)})
        AND NOT EXISTS (SELECT FROM part e WHERE e.conversation_id = p.conversation_id AND ${unsettledPart('e')}
          AND (e.reply, e.index) < (p.reply, p.index))`,
    Prisma.sql`SELECT 'part', id, 'being sent under a lease that lapsed', lease_until FROM part
      WHERE state = 'sending' AND lease_until < ${ago(GRACE_MS)}`,
    Prisma.sql`SELECT 'part', id, 'of unknown fate, and nobody was asked', unknown_at FROM part
      WHERE state = 'unknown' AND reason IS DISTINCT FROM 'in-review'
        AND unknown_at < ${ago(Math.max(UNKNOWN_MAX_MS, rules.unknownWaitMs + GRACE_MS))}`,
    Prisma.sql`SELECT 'event', event_id, 'a status parked for too long', parked_at FROM parked_status
      WHERE parked_at < ${ago(PARKED_MAX_MS)}`,
    Prisma.sql`SELECT 'conversation', id, 'the time of its takeover is over', takeover_until FROM conversation
      WHERE taken_over_at IS NOT NULL AND takeover_until < ${ago(GRACE_MS)} AND merged_into_id IS NULL`,
  ];
}

/** Rows that no order of events can explain. They are final, so finding them means reading the tables. */
function impossible(): Prisma.Sql[] {
  return [
    Prisma.sql`SELECT 'event', e.id, 'in a batch that does not exist', e.outcome_at FROM event e
      WHERE e.outcome = 'in_batch' AND NOT EXISTS (SELECT FROM batch b WHERE b.id = e.batch_id)`,
    Prisma.sql`SELECT 'event', e.id, 'in a batch that is still open', e.outcome_at FROM event e JOIN batch b ON b.id = e.batch_id
      WHERE e.outcome = 'in_batch' AND b.state IN ('collecting', 'queued')`,
    Prisma.sql`SELECT 'batch', b.id, 'replied without a part', b.finished_at FROM batch b
      WHERE b.state = 'replied' AND NOT EXISTS (SELECT FROM part p WHERE p.batch_id = b.id)`,
    Prisma.sql`SELECT 'event', e.id, 'for review, and there is no case', e.outcome_at FROM event e WHERE e.outcome = 'review'
      AND NOT EXISTS (SELECT FROM review r WHERE r.event_id = e.id) AND NOT EXISTS (SELECT FROM review r WHERE r.batch_id = e.batch_id)`,
    Prisma.sql`SELECT 'batch', b.id, 'for review, and there is no case', b.finished_at FROM batch b WHERE b.state = 'review'
      AND NOT EXISTS (SELECT FROM review r WHERE r.batch_id = b.id)`,
  ];
}

/** `scope` overdue: only what the indexes find, for frequent looks. */
export function unaccountedRows(rules: AuditRules, scope: 'overdue' | 'all'): Prisma.Sql {
  const parts = scope === 'all' ? [...overdue(rules), ...impossible()] : overdue(rules);
  return Prisma.sql`WITH clock AS MATERIALIZED (SELECT oneturn_now() AS now) ${Prisma.join(parts, ' UNION ALL ')}`;
}
