/**
 * Ways to break a promise, each in a few lines of a copy of the code. What catches it is named: a test, or the promise
 * that the torture run finds broken.
 *
 * @typedef {object} Sabotage
 * @property {string} name
 * @property {{file: string, from: string, to: string}[]} edits each `from` must stand exactly once in its file.
 * @property {Check[]} caughtBy tried in this order until one of them fails as it should.
 *
 * @typedef {{test: string, name?: string} | {torture: string[], seed: number, minutes?: number, backend?: string}} Check
 */

/** @type {Sabotage[]} */
export const SABOTAGES = [
  {
    name: 'skip the fence check at the end of a turn',
    edits: [
      {
        file: 'libs/inbox/src/finish-turn.ts',
        from: 'WHERE id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint FOR NO KEY UPDATE`;',
        to: 'WHERE id = ${turn.batchId}::bigint FOR NO KEY UPDATE`;',
      },
    ],
    caughtBy: [{ test: 'libs/inbox/src/finish-turn.int-spec.ts' }, { torture: ['P10', 'P2'], seed: 21 }],
  },
  {
    name: 'acknowledge before the commit',
    edits: [
      {
        file: 'apps/ingest/src/receive-events.ts',
        from: 'await this.commits.add(events, body.length);',
        to: 'void this.commits.add(events, body.length).catch(() => undefined);',
      },
    ],
    caughtBy: [{ test: 'apps/ingest/src/unavailable.int-spec.ts' }, { torture: ['P1'], seed: 22 }],
  },
  {
    name: 'drop the dedupe index',
    edits: [
      {
        file: 'prisma/migrations/20261130000000_inbox/migration.sql',
        from: 'CREATE UNIQUE INDEX "event_account_key_external_id_key"',
        to: 'CREATE INDEX "event_account_key_external_id_key"',
      },
      {
        file: 'libs/inbox/src/store-events.ts',
        from: 'ON CONFLICT (account_key, external_id) DO NOTHING',
        to: 'ON CONFLICT DO NOTHING',
      },
    ],
    caughtBy: [{ test: 'libs/inbox/src/store-events.int-spec.ts' }, { torture: ['P1'], seed: 23 }],
  },
  {
    name: 'release the lease early',
    edits: [
      {
        file: 'apps/responder/src/lease-heartbeat.ts',
        from: "for (const held of turns) held.abort.abort(new Error('the process stops'));",
        to: '',
      },
      {
        file: 'apps/responder/src/turn.processor.ts',
        from: 'await this.task.stop();\n    await settlesWithin',
        to: 'await this.heartbeat.giveUp();\n    await settlesWithin',
      },
    ],
    caughtBy: [{ test: 'e2e/cases/deploy.e2e-spec.ts' }, { torture: ['P2', 'P10'], seed: 24, minutes: 2 }],
  },
  {
    name: 'reset sending to pending',
    edits: [
      {
        file: 'libs/inbox/src/settle-unknown-parts.ts',
        from: "UPDATE part SET state = 'unknown', reason = NULL, unknown_at = from_epoch_ms(${now}), holder = NULL",
        to: "UPDATE part SET state = 'pending', reason = NULL, next_attempt_at = from_epoch_ms(${now}), holder = NULL",
      },
    ],
    caughtBy: [{ test: 'libs/inbox/src/settle-unknown-parts.int-spec.ts' }, { torture: ['P3'], seed: 25 }],
  },
  {
    name: 'resend unknown parts',
    edits: [
      {
        file: 'libs/domain/src/send.ts',
        from: "if (policy.unknownSend === 'resend' && attempts < policy.maxAttempts)",
        to: 'if (attempts < policy.maxAttempts)',
      },
    ],
    caughtBy: [{ test: 'libs/domain/src/send.spec.ts' }, { torture: ['P3'], seed: 26 }],
  },
  {
    name: 'ignore the service window',
    edits: [
      {
        file: 'libs/domain/src/send.ts',
        from: 'if (!serviceWindowOpen(facts.lastInboundAt, facts.serviceWindowMs, now))',
        to: 'if (facts.lastInboundAt === null)',
      },
    ],
    caughtBy: [{ test: 'libs/domain/src/send.spec.ts' }, { torture: ['P8'], seed: 27 }],
  },
  {
    name: 'read the clock before the lock',
    edits: [
      {
        file: 'libs/inbox/src/lock-conversations.ts',
        from: 'SELECT epoch_ms(oneturn_now()) AS now',
        to: 'SELECT epoch_ms(now()) AS now',
      },
    ],
    caughtBy: [{ test: 'libs/inbox/src/route-events.int-spec.ts', name: 'time is read after the lock' }],
  },
  {
    name: 'let responders wait for Redis',
    edits: [
      {
        file: 'apps/responder/src/turn.processor.ts',
        from: ': env.SWEEP_MS;',
        to: ': 600_000;',
      },
    ],
    caughtBy: [
      { test: 'e2e/cases/lost-wake-ups.e2e-spec.ts' },
      { torture: ['P6', 'P9', 'P1'], seed: 29, backend: 'redis' },
    ],
  },
  {
    name: 'journal after acting',
    edits: [
      {
        file: 'libs/assistant/src/settle-call.ts',
        from: "    await journal.startTool(position, call, tool?.effect ?? 'read-only');\n",
        to: '',
      },
      {
        file: 'libs/assistant/src/settle-call.ts',
        from: '    await journal.finishTool(position, result);\n',
        to: "    await journal.startTool(position, call, tool?.effect ?? 'read-only');\n    await journal.finishTool(position, result);\n",
      },
    ],
    caughtBy: [{ test: 'libs/assistant/src/' }, { torture: ['P4'], seed: 30 }],
  },
];
