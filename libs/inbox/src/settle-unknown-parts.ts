/** Janitor: parts whose sender vanished become unknown, and unknown ones that nothing explains go to a person. */
import { decideUnknown, policyFor, type Policy } from '#domain';
import type { AccountDirectory } from './accounts.js';
import { inTransaction, type Database, type Tx } from './database.js';
import { failReply, type FailedPart } from './fail-reply.js';
import { readClock, tryLockConversations } from './lock-conversations.js';
import type { OpenedReview } from './open-reviews.js';

export interface UnknownSweep {
  /** Parts that were `sending` under a lapsed lease. */
  lapsed: { id: string; conversationId: string }[];
  resent: number;
  reviews: OpenedReview[];
}

interface Candidate {
  id: string;
  conversationId: string;
  accountId: string;
  batchId: string | null;
  index: number;
  state: 'sending' | 'unknown';
  attempts: number;
  unknownAt: number | null;
  error: string | null;
}

/** Small steps (`limit` parts), safe with several janitors at once. */
export async function settleUnknownParts(
  db: Database,
  accounts: AccountDirectory,
  base: Policy,
  limit: number,
): Promise<UnknownSweep> {
  const found = await candidates(db, limit);
  if (found.length === 0) return { lapsed: [], resent: 0, reviews: [] };
  return inTransaction(db, async (tx) => {
    const locked = await tryLockConversations(
      tx,
      found.map((part) => part.conversationId),
    );
    const now = await readClock(tx);
    const parts = await reread(
      tx,
      found.map((part) => part.id),
      locked,
      now,
    );
    const lapsed = parts.filter((part) => part.state === 'sending');
    await markUnknown(tx, lapsed, now);
    const resend: string[] = [];
    const review: FailedPart[] = [];
    for (const part of parts) {
      if (part.state !== 'unknown' || part.unknownAt === null) continue;
      const policy = policyFor(base, accounts.findById(part.accountId)?.overrides ?? {});
      const decision = decideUnknown(part.unknownAt, part.attempts, policy, now);
      if (decision.kind === 'resend') resend.push(part.id);
      if (decision.kind === 'review') review.push({ ...part, reason: 'unknown-send', why: unknownText(part) });
    }
    await tx.$executeRaw`
      UPDATE part SET state = 'pending', next_attempt_at = from_epoch_ms(${now}), reason = 'resend' WHERE id = ANY(${resend}::bigint[])`;
    await tx.$executeRaw`UPDATE part SET reason = 'in-review' WHERE id = ANY(${review.map((part) => part.id)}::bigint[])`;
    return { lapsed, resent: resend.length, reviews: await failReply(tx, review, now) };
  });
}

function unknownText(part: Candidate): string {
  return `the channel may or may not have it (${part.error ?? 'the sender stopped before it had an answer'}). Sending it again may give the customer a second copy.`;
}

async function candidates(db: Database, limit: number): Promise<{ id: string; conversationId: string }[]> {
  return db.prisma.$queryRaw`
    WITH clock AS MATERIALIZED (SELECT oneturn_now() AS now)
    (SELECT id::text, conversation_id::text AS "conversationId" FROM part
      WHERE state = 'sending' AND lease_until <= (SELECT now FROM clock) ORDER BY lease_until LIMIT ${limit}::int)
    UNION ALL
    (SELECT id::text, conversation_id::text FROM part
      WHERE state = 'unknown' AND reason IS DISTINCT FROM 'in-review' ORDER BY unknown_at LIMIT ${limit}::int)`;
}

async function reread(tx: Tx, ids: string[], conversationIds: string[], now: number): Promise<Candidate[]> {
  return tx.$queryRaw<Candidate[]>`
    SELECT p.id::text, p.conversation_id::text AS "conversationId", c.account_id::text AS "accountId", p.batch_id::text AS "batchId",
      p.index, p.state, p.attempts, epoch_ms(p.unknown_at) AS "unknownAt", p.error
    FROM part p JOIN conversation c ON c.id = p.conversation_id
    WHERE p.id = ANY(${ids}::bigint[]) AND p.conversation_id = ANY(${conversationIds}::bigint[])
      AND ((p.state = 'sending' AND p.lease_until <= from_epoch_ms(${now})) OR (p.state = 'unknown' AND p.reason IS DISTINCT FROM 'in-review'))
    ORDER BY p.conversation_id, p.reply, p.index`;
}

/** Never back to pending: the holder may have sent it before it died. */
async function markUnknown(tx: Tx, lapsed: Candidate[], now: number): Promise<void> {
  if (lapsed.length === 0) return;
  await tx.$executeRaw`
    UPDATE part SET state = 'unknown', reason = NULL, unknown_at = from_epoch_ms(${now}), holder = NULL, lease_until = NULL,
      error_code = 'lapsed', error = 'the sender stopped before it had an answer'
    WHERE id = ANY(${lapsed.map((part) => part.id)}::bigint[])`;
}
