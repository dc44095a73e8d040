/** Who waited long for a lock, and for whom: what a late turn or routing is explained by afterwards. */
import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 500;
const LONG_MS = 700;

const WAITS = `
  SELECT w.pid, w.application_name AS "who", left(w.query, 160) AS wanted, round(extract(epoch FROM clock_timestamp() - w.query_start) * 1000)::int AS ms,
    b.pid AS "holderPid", b.application_name AS holder, b.state AS "holderState", b.wait_event AS "holderWaits", left(b.query, 160) AS "holderLast",
    round(extract(epoch FROM clock_timestamp() - b.xact_start) * 1000)::int AS "holderMs"
  FROM pg_stat_activity w JOIN pg_stat_activity b ON b.pid = ANY(pg_blocking_pids(w.pid))
  WHERE w.wait_event_type = 'Lock' AND clock_timestamp() - w.query_start > $1 * interval '1 ms'`;

export function watchLocks(postgres) {
  /** @type {{at: number, [column: string]: unknown}[]} */
  const waits = [];
  let watching = true;
  const run = async () => {
    while (watching) {
      await delay(EVERY_MS);
      for (const row of (await postgres.ask(WAITS, [LONG_MS])) ?? []) waits.push({ at: Date.now(), ...row });
    }
  };
  const ended = run();
  return {
    waits,
    async stop() {
      watching = false;
      await ended;
    },
  };
}
