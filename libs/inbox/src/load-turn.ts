/** What the assistant may know of a claimed turn. */
import { saidAt, turnInput, type Alias, type HistoryEntry, type TurnContext, type TurnMessage } from '#domain';
import type { Account } from './accounts.js';
import type { BatchMessage, ClaimedTurn } from './claim-turns.js';
import type { Database } from './database.js';

/** Most entries of history that are read; the assistant bounds them further, by tokens. */
const HISTORY_LIMIT = 60;

export interface LoadedTurn {
  context: TurnContext;
  /** Channel id of the latest message, for the read mark. */
  latestMessageId: string;
}

export async function loadTurn(
  db: Database,
  turn: ClaimedTurn,
  account: Account,
  instructions: string,
): Promise<LoadedTurn> {
  const [contact, history] = await Promise.all([readContact(db, turn.conversationId), readHistory(db, turn)]);
  const messages = turn.messages.map(toTurnMessage);
  const input = turnInput(messages);
  return {
    latestMessageId: input.message.id,
    context: {
      tenant: account.tenant,
      account: { channel: account.channel, externalId: account.externalId },
      conversation: { id: turn.conversationId, threadId: turn.thread, contact },
      batch: { id: turn.batchId, attempt: turn.attempt },
      ...input,
      history,
      instructions: account.instructions ?? instructions,
      now: turn.claimedAt,
    },
  };
}

function toTurnMessage(message: BatchMessage): TurnMessage {
  return {
    id: message.externalId,
    type: message.event.speech.type,
    text: message.event.speech.text,
    at: saidAt(message),
  };
}

async function readContact(db: Database, conversationId: string): Promise<{ name: string | null; aliases: Alias[] }> {
  const rows = await db.prisma.$queryRaw<{ name: string | null; aliases: Alias[] }[]>`
    SELECT name, coalesce((SELECT jsonb_agg(jsonb_build_object('kind', kind, 'value', value) ORDER BY kind, value)
      FROM contact_alias WHERE conversation_id = c.id), '[]') AS aliases
    FROM conversation c WHERE id = ${conversationId}::bigint`;
  return rows[0] ?? { name: null, aliases: [] };
}

/** Earlier messages, and of our own side only what the channel has accepted: what the customer has really seen. */
async function readHistory(db: Database, turn: ClaimedTurn): Promise<HistoryEntry[]> {
  const rows = await db.prisma.$queryRaw<HistoryEntry[]>`
    (SELECT 'customer' AS role, parsed->'speech'->>'text' AS text, epoch_ms(least(coalesce(provider_at, arrived_at), arrived_at)) AS at, id
      FROM event WHERE conversation_id = ${turn.conversationId}::bigint AND kind = 'message' AND outcome IS NOT NULL
        AND (batch_id IS DISTINCT FROM ${turn.batchId}::bigint OR outcome = 'review') ORDER BY id DESC LIMIT ${HISTORY_LIMIT}::int)
    UNION ALL
    (SELECT 'operator', parsed->'speech'->>'text', epoch_ms(arrived_at), id
      FROM event WHERE conversation_id = ${turn.conversationId}::bigint AND kind = 'echo' ORDER BY id DESC LIMIT ${HISTORY_LIMIT}::int)
    UNION ALL
    (SELECT author, text, epoch_ms(accepted_at), id FROM part
      WHERE conversation_id = ANY(ARRAY(SELECT ${turn.conversationId}::bigint
          UNION SELECT id FROM conversation WHERE merged_into_id = ${turn.conversationId}::bigint))
        AND state IN ('accepted', 'sent', 'delivered', 'read')
      ORDER BY reply DESC, index DESC LIMIT ${HISTORY_LIMIT}::int)`;
  return rows
    .sort((a, b) => a.at - b.at)
    .slice(-HISTORY_LIMIT)
    .map(({ role, text, at }) => ({ role, text: text ?? '', at }));
}
