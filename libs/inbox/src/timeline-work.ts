/** What was made of the messages of a conversation: batches, turns with their journal, parts. */
import type { Json } from '#domain';
import type { Database } from './database.js';

export interface BatchView {
  id: string;
  thread: string;
  state: string;
  reason: string | null;
  firstAt: Date;
  lastAt: Date;
  dueAt: Date;
  sealedAt: Date | null;
  finishedAt: Date | null;
  attempts: number;
  nextAttemptAt: Date | null;
  leaseUntil: Date | null;
  lastError: string | null;
  replacesId: string | null;
  /** How often its messages were taken back from a turn. */
  restarts: number;
}

/** One entry of the journal: an answer of the model, or a call of a tool. */
export interface StepView {
  position: number;
  kind: string;
  state: string;
  content: Json;
  call: Json;
  effect: string | null;
  result: Json;
  usage: Json;
  startedAt: Date;
  finishedAt: Date | null;
}

export interface TurnView {
  id: string;
  batchId: string;
  attempt: number;
  startedAt: Date;
  endedAt: Date | null;
  outcome: string | null;
  error: string | null;
  /** An answer that was not sent. */
  draft: string | null;
  assistant: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** What this attempt added to the batch's journal; a later one goes on from there. */
  steps: StepView[];
}

export interface PartView {
  id: string;
  batchId: string | null;
  reply: string;
  index: number;
  author: string;
  operator: string | null;
  text: string;
  state: string;
  reason: string | null;
  attempts: number;
  providerId: string | null;
  errorCode: string | null;
  error: string | null;
  copies: number;
  createdAt: Date;
  nextAttemptAt: Date | null;
  sendingAt: Date | null;
  unknownAt: Date | null;
  acceptedAt: Date | null;
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  failedAt: Date | null;
}

/** The latest `limit`, oldest first. */
export async function readBatches(db: Database, conversationIds: string[], limit: number): Promise<BatchView[]> {
  const rows = await db.prisma.$queryRaw<BatchView[]>`
    SELECT id::text, thread, state, reason, first_at AS "firstAt", last_at AS "lastAt", due_at AS "dueAt",
      sealed_at AS "sealedAt", finished_at AS "finishedAt", attempts, next_attempt_at AS "nextAttemptAt",
      lease_until AS "leaseUntil", last_error AS "lastError", replaces_id::text AS "replacesId", restarts
    FROM batch WHERE conversation_id = ANY(${conversationIds}::bigint[]) ORDER BY batch.id DESC LIMIT ${limit}::int`;
  return rows.reverse();
}

export async function readTurns(db: Database, batchIds: string[]): Promise<TurnView[]> {
  if (batchIds.length === 0) return [];
  const turns = await db.prisma.$queryRaw<(Omit<TurnView, 'steps'> & { fence: string })[]>`
    SELECT id::text, batch_id::text AS "batchId", attempt, fence::text, started_at AS "startedAt", ended_at AS "endedAt",
      outcome, error, draft, assistant, input_tokens AS "inputTokens", output_tokens AS "outputTokens"
    FROM turn WHERE batch_id = ANY(${batchIds}::bigint[]) ORDER BY turn.batch_id, turn.fence`;
  const steps = await db.prisma.$queryRaw<(StepView & { batchId: string; fence: string })[]>`
    SELECT batch_id::text AS "batchId", fence::text, position, kind, state, content, call, effect, result, usage,
      started_at AS "startedAt", finished_at AS "finishedAt"
    FROM model_step WHERE batch_id = ANY(${batchIds}::bigint[]) ORDER BY batch_id, position`;
  return turns.map(({ fence, ...turn }) => ({
    ...turn,
    steps: steps
      .filter((step) => step.batchId === turn.batchId && step.fence === fence)
      .map(({ batchId: _batchId, fence: _fence, ...step }) => step),
  }));
}

/** The latest `limit`, in the order in which they go out. */
export async function readParts(db: Database, conversationIds: string[], limit: number): Promise<PartView[]> {
  const rows = await db.prisma.$queryRaw<PartView[]>`
    SELECT id::text, batch_id::text AS "batchId", reply::text, index, author, operator, text, state, reason, attempts,
      provider_id AS "providerId", error_code AS "errorCode", error, copies, created_at AS "createdAt",
      next_attempt_at AS "nextAttemptAt", sending_at AS "sendingAt", unknown_at AS "unknownAt", accepted_at AS "acceptedAt",
      sent_at AS "sentAt", delivered_at AS "deliveredAt", read_at AS "readAt", failed_at AS "failedAt"
    FROM part WHERE conversation_id = ANY(${conversationIds}::bigint[]) ORDER BY part.reply DESC, part.index DESC LIMIT ${limit}::int`;
  return rows.reverse();
}
