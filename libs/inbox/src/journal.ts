/** The journal of one batch in Postgres: every write names the turn's fence and fails when it is stale. */
import {
  StaleFenceError,
  type Journal,
  type JournalStep,
  type Json,
  type ModelUsage,
  type ToolCall,
  type ToolEffect,
} from '#domain';
import type { Database } from './database.js';
import type { HeldTurn } from './renew-leases.js';

interface StepRow {
  position: number;
  kind: string;
  content: Json;
  call: ToolCall | null;
  state: 'started' | 'finished';
  result: Json;
  usage: ModelUsage | null;
}

export function createJournal(db: Database, turn: HeldTurn): Journal {
  return {
    steps: () => readSteps(db, turn.batchId),
    recordAnswer: async (position, content, usage) => {
      try {
        const step = { position, content, usage, call: null, effect: null } as const;
        await insertStep(db, turn, { ...step, kind: 'answer', state: 'finished' });
      } catch (error) {
        if (error instanceof StaleFenceError) await keepDiscarded(db, turn, content, usage);
        throw error;
      }
    },
    startTool: (position, call, effect) =>
      insertStep(db, turn, { position, kind: 'tool', content: null, usage: null, call, effect, state: 'started' }),
    finishTool: (position, result) => finishStep(db, turn, position, result),
  };
}

async function readSteps(db: Database, batchId: string): Promise<JournalStep[]> {
  const rows = await db.prisma.$queryRaw<StepRow[]>`
    SELECT position, kind, content, call, state, result, usage FROM model_step WHERE batch_id = ${batchId}::bigint ORDER BY position`;
  return rows.map((row) =>
    row.kind === 'tool'
      ? { position: row.position, kind: 'tool', call: row.call as ToolCall, state: row.state, result: row.result }
      : { position: row.position, kind: 'answer', content: row.content, usage: row.usage },
  );
}

/** An answer that came too late was paid for all the same: the timeline shows it, with its cost, at its turn. */
async function keepDiscarded(db: Database, turn: HeldTurn, content: Json, usage: ModelUsage | null): Promise<void> {
  await db.prisma.$executeRaw`
    UPDATE turn SET draft = ${textsOf(content).join('\n\n') || null},
      input_tokens = coalesce(input_tokens, 0) + ${usage?.inputTokens ?? 0}::int,
      output_tokens = coalesce(output_tokens, 0) + ${usage?.outputTokens ?? 0}::int
    WHERE batch_id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint`;
}

/** What an answer says to the customer, whoever gave it: texts of a model, or parts of a service. */
function textsOf(content: Json): string[] {
  if (content === null || typeof content !== 'object') return [];
  const entries = Array.isArray(content) ? content : (content['parts'] ?? null);
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry) => {
    if (typeof entry === 'string') return [entry];
    const said = entry !== null && typeof entry === 'object' && !Array.isArray(entry) ? entry['text'] : null;
    return typeof said === 'string' ? [said] : [];
  });
}

interface NewStep {
  position: number;
  kind: 'answer' | 'tool';
  content: Json;
  usage: ModelUsage | null;
  call: ToolCall | null;
  effect: ToolEffect | null;
  state: 'started' | 'finished';
}

/** The batch row is share-locked, so that no claim or takeover can slip between the check of the fence and the insert. */
async function insertStep(db: Database, turn: HeldTurn, step: NewStep): Promise<void> {
  const rows = await db.prisma.$queryRaw<{ held: boolean }[]>`
    WITH held AS (
      SELECT id FROM batch WHERE id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint AND state = 'running' FOR SHARE
    ), written AS (
      INSERT INTO model_step (batch_id, position, fence, kind, content, call, effect, state, usage, started_at, finished_at)
      SELECT id, ${step.position}::int, ${turn.fence}::bigint, ${step.kind}, ${text(step.content)}::jsonb, ${text(step.call)}::jsonb,
        ${step.effect}, ${step.state}, ${text(step.usage)}::jsonb, oneturn_now(), CASE WHEN ${step.state} = 'finished' THEN oneturn_now() END
      FROM held ON CONFLICT (batch_id, position) DO NOTHING
    ) SELECT true AS held FROM held`;
  if (rows.length === 0)
    throw new StaleFenceError(`batch ${turn.batchId}: the turn with fence ${turn.fence} has lost it`);
}

async function finishStep(db: Database, turn: HeldTurn, position: number, result: Json): Promise<void> {
  const rows = await db.prisma.$queryRaw<{ id: string }[]>`
    WITH held AS (
      SELECT id FROM batch WHERE id = ${turn.batchId}::bigint AND fence = ${turn.fence}::bigint AND state = 'running' FOR SHARE
    )
    UPDATE model_step SET state = 'finished', result = ${text(result)}::jsonb, finished_at = oneturn_now()
    FROM held WHERE batch_id = held.id AND position = ${position}::int RETURNING model_step.id::text`;
  if (rows.length === 0)
    throw new StaleFenceError(`batch ${turn.batchId}: the turn with fence ${turn.fence} has lost it`);
}

const text = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
