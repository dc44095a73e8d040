/** What became of the messages, as the tables tell it. */
import { setTimeout as delay } from 'node:timers/promises';

const everyMs = 250;

/** Messages by how they ended: answered, late, review, silent, and waiting for those that have not. */
export async function fatesOf(postgres, database) {
  const rows = await postgres.rows(database, `SELECT fate, count(*)::int AS count FROM (${fate}) AS one GROUP BY fate`);
  return {
    answered: 0,
    late: 0,
    review: 0,
    waiting: 0,
    ...Object.fromEntries(rows.map((row) => [row.fate, row.count])),
  };
}

/** A reply counts when the channel has accepted all of its parts. */
const fate = `
  SELECT CASE
    WHEN e.outcome = 'review' OR b.state = 'review' THEN
      CASE WHEN 'late' IN (e.reason, b.reason) THEN 'late' ELSE 'review' END
    WHEN b.state = 'replied' AND EXISTS (SELECT FROM part p WHERE p.batch_id = b.id
      AND (p.state IN ('failed', 'held') OR p.state = 'unknown' AND p.reason = 'in-review')) THEN 'review'
    WHEN b.state = 'replied' AND NOT EXISTS (SELECT FROM part p WHERE p.batch_id = b.id
      AND p.state NOT IN ('accepted', 'sent', 'delivered', 'read')) THEN 'answered'
    WHEN b.state = 'silent' THEN 'silent'
    ELSE 'waiting' END AS fate
  FROM event e LEFT JOIN batch b ON b.id = e.batch_id WHERE e.kind = 'message'`;

/** Messages that wait for their turn, and everything that is not at its end. Both by index. */
export async function backlogOf(postgres, database) {
  const [row] = await postgres.rows(
    database,
    `SELECT messages, messages + turns + parts AS open FROM
       (SELECT (SELECT count(*) FROM event WHERE routed_at IS NULL)::int
          + (SELECT count(*) FROM event WHERE routed_at IS NOT NULL AND outcome IS NULL)::int AS messages,
        (SELECT count(*) FROM batch WHERE state IN ('running', 'retry_wait'))::int AS turns,
        (SELECT count(*) FROM part WHERE state IN ('pending', 'sending'))::int AS parts) AS counts`,
  );
  return row;
}

/** Looks at the backlog again and again. `stop` resolves to [epoch ms, messages] of each look. */
export function watchBacklog(postgres, database) {
  const curve = [];
  let watching = true;
  const ended = (async () => {
    while (watching) {
      curve.push([Date.now(), (await backlogOf(postgres, database)).messages]);
      await delay(everyMs);
    }
  })();
  ended.catch(() => {});
  return {
    stop: async () => {
      watching = false;
      await ended;
      return curve;
    },
  };
}
