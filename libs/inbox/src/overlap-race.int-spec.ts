/** The race between a turn's last look and its release: what lands in between is found without another arrival. */
import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { InboxKit } from '../specs/inbox-kit.js';
import { message } from '../specs/new-events.js';
import type { ClaimedTurn } from './claim-turns.js';
import type { Database } from './database.js';

/** Two thousand take minutes; a hundred find a gap as well, only later. */
const ROUNDS = Number(process.env['ONETURN_RACE_ROUNDS'] ?? 100);
const AT_ONCE = 20;
/** Longer than a finish or a routing takes, so that either may come first, ms. */
const SPREAD_MS = 15;

let database: TestDatabase;
let kit: InboxKit;
beforeAll(async () => {
  database = await testDatabase();
  kit = await InboxKit.open(database.url, shiftDatabaseClock, 3);
});
afterAll(async () => {
  await kit.close();
  await database.drop();
});

/** A random offset, spent on the connections of the one that is to be late. */
async function aMoment(db: Database | undefined): Promise<void> {
  await db?.pool.query('SELECT pg_sleep($1::float8)', [(Math.random() * SPREAD_MS) / 1000]);
}

async function claimAll(): Promise<ClaimedTurn[]> {
  const turns: ClaimedTurn[] = [];
  for (;;) {
    const claimed = (await kit.claim()).turns;
    if (claimed.length === 0) return turns;
    turns.push(...claimed);
  }
}

it.each(['queue', 'burst', 'drop', 'concurrent'] as const)(
  '%s strands nothing',
  async (strategy) => {
    await kit.reset();
    kit.policy = { ...kit.policy, strategy, debounceMs: 0, maxConcurrent: 1 };
    let stranded = 0;
    const rounds = strategy === 'queue' ? ROUNDS : Math.ceil(ROUNDS / 10);
    for (let done = 0; done < rounds; done += AT_ONCE) {
      const phones = Array.from({ length: AT_ONCE }, (_, n) => `1555${String(1_000_000 + done + n)}`);
      await kit.arrive(...phones.map((phone) => message('first', { phone })));
      const turns = await claimAll();
      expect(turns).toHaveLength(AT_ONCE);
      const [, finishing, routing] = kit.pools;
      await Promise.all([
        ...turns.map(async (turn) => {
          await aMoment(finishing);
          await kit.finish(turn, { kind: 'silent' }, finishing);
        }),
        ...phones.map(async (phone) => {
          await aMoment(routing);
          await kit.store(message('second', { phone }));
          await kit.route(routing);
        }),
      ]);
      // Arrivals have stopped: a sweep of the router and of the claim loop is all that may be needed.
      await kit.route();
      for (const turn of await claimAll()) await kit.finish(turn, { kind: 'silent' });
      const [row] = await kit.sql<{ open: number }>('SELECT count(*)::int AS open FROM event WHERE outcome IS NULL');
      stranded += row?.open ?? 0;
    }
    expect(stranded).toBe(0);
    const ends = await kit.sql<{ end: string }>(
      `SELECT DISTINCT concat_ws(' ', outcome, reason) AS end FROM event ORDER BY 1`,
    );
    // Who was first is chance; that nothing else becomes of a message is not.
    const allowed = strategy === 'drop' ? ['dropped busy', 'in_batch'] : ['in_batch'];
    expect(allowed).toEqual(expect.arrayContaining(ends.map((row) => row.end)));
  },
  600_000,
);
