import { Prisma } from './generated/client.js';

/** Batches `o` and `b` of one conversation that must not have turns at once; the empty lock is all its threads'. */
export const SAME_LOCK = Prisma.sql`(o.lock = b.lock OR o.lock = '' OR b.lock = '')`;

/** Part `p` belongs to what batch `b` has to wait for. */
export const OF_LOCK = Prisma.sql`(b.lock = '' OR p.thread = b.thread)`;
