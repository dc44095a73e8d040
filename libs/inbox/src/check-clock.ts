/** Refuses a database whose clock was replaced by a test's. */
import type { Database } from './database.js';

/** True when oneturn_now() is the real clock. Rejects when the migrations have not been applied. */
export async function hasRealClock(db: Database): Promise<boolean> {
  const rows = await db.prisma.$queryRaw<
    { source: string }[]
  >`SELECT prosrc AS source FROM pg_proc WHERE proname = 'oneturn_now'`;
  if (rows.length === 0) throw new Error('the database has no oneturn tables: run "npm run db:migrate" first');
  return rows.every((row) => row.source.trim() === "SELECT date_trunc('milliseconds', clock_timestamp())");
}
