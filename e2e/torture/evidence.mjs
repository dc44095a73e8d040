/** Everything that the audit reads, as plain data: the outside witnesses and the tables. Times in epoch ms. */

const TABLES = {
  events: `SELECT id::text, external_id AS "externalId", account_key AS "accountKey", kind, epoch_ms(provider_at) AS "providerAt",
    epoch_ms(arrived_at) AS "arrivedAt", arrival_process AS process, arrival_group::int AS "group", arrival_index AS index,
    conversation_id::text AS conversation, batch_id::text AS batch, epoch_ms(routed_at) AS "routedAt", outcome, reason,
    epoch_ms(outcome_at) AS "outcomeAt" FROM event ORDER BY id`,
  batches: `SELECT b.id::text, b.conversation_id::text AS conversation, b.slot, b.state, b.reason, epoch_ms(b.first_at) AS "firstAt",
    epoch_ms(b.due_at) AS "dueAt", epoch_ms(b.sealed_at) AS "sealedAt", b.attempts, b.fence::int, epoch_ms(b.created_at) AS "createdAt", epoch_ms(b.finished_at) AS "finishedAt",
    b.replaces_id::text AS replaces, a.external_id AS account, a.policy ->> 'unknownSend' AS "unknownSend"
    FROM batch b JOIN conversation c ON c.id = b.conversation_id JOIN account a ON a.id = c.account_id ORDER BY b.id`,
  turns: `SELECT t.batch_id::text AS batch, b.conversation_id::text AS conversation, b.lock, b.slots, b.slot, t.attempt, t.fence::int, t.holder,
    epoch_ms(t.started_at) AS "startedAt", epoch_ms(t.ended_at) AS "endedAt", t.outcome, t.error
    FROM turn t JOIN batch b ON b.id = t.batch_id ORDER BY t.started_at, t.id`,
  parts: `SELECT p.id::text, p.conversation_id::text AS conversation, p.batch_id::text AS batch, p.index, p.author, p.text, p.state,
    p.reason, p.attempts, p.provider_id AS "providerId", p.copies, epoch_ms(p.created_at) AS "createdAt",
    epoch_ms(p.sending_at) AS "sendingAt", epoch_ms(p.accepted_at) AS "acceptedAt", epoch_ms(p.failed_at) AS "failedAt",
    a.policy ->> 'unknownSend' AS "unknownSend", epoch_ms(c.last_inbound_at) AS "lastInboundAt"
    FROM part p JOIN conversation c ON c.id = p.conversation_id JOIN account a ON a.id = c.account_id ORDER BY p.id`,
  steps: `SELECT batch_id::text AS batch, position, fence::int, kind, call, effect, state,
    epoch_ms(started_at) AS "startedAt" FROM model_step ORDER BY batch_id, position`,
  effects: `SELECT 'hold_appointment' AS tool, key, starts_at AS words FROM appointment
    UNION ALL SELECT 'add_note', key, text FROM note ORDER BY 1, 2`,
  parked: `SELECT event_id::text AS event FROM parked_status`,
  reviews: `SELECT id::text, subject, reason, state, event_id::text AS event, batch_id::text AS batch, part_id::text AS part,
    epoch_ms(opened_at) AS "openedAt" FROM review`,
};

/** @typedef {Awaited<ReturnType<typeof collectEvidence>>} Evidence */

export async function collectEvidence(lab, run) {
  const tables = {};
  for (const [name, sql] of Object.entries(TABLES)) tables[name] = await lab.postgres.rows(sql);
  const { deliveries, dropped } = await lab.simulator.webhooks();
  return {
    ...run,
    tables,
    calls: await lab.simulator.calls(),
    webhooks: { deliveries: deliveries.length, repeated: deliveries.filter((one) => one.attempt > 1).length, dropped },
    acknowledged: lab.gate.acknowledged,
    asked: lab.model.log(),
    pulse: lab.pulse.beats,
    lockWaits: lab.locks.waits,
    outages: lab.crew.outages,
    surprises: lab.crew.surprises,
  };
}
