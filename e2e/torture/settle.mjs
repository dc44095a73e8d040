/** Waits until nothing is under way any more: what still waits then, waits for a person. */
import { setTimeout as delay } from 'node:timers/promises';

/** Statuses follow an acceptance this late; nothing may be new for as long. */
const QUIET_MS = 800;

/**
 * @returns {Promise<string[]>} what had still not come to rest when the time was over; empty: at rest.
 */
export async function settle(lab, withinMs) {
  const deadline = Date.now() + withinMs;
  let restless = ['not looked yet'];
  let before = -1;
  while (Date.now() < deadline) {
    const { pendingRetries, deliveries } = await lab.simulator.webhooks();
    restless = await whatMoves(lab, pendingRetries);
    if (restless.length === 0 && deliveries.length === before) return [];
    before = restless.length === 0 ? deliveries.length : -1;
    await delay(QUIET_MS);
  }
  return restless;
}

async function whatMoves(lab, pendingRetries) {
  const rows = await lab.postgres.rows(`
    SELECT kind || ' ' || state || ': ' || count(*) AS what FROM (
      SELECT 'event' AS kind, CASE WHEN routed_at IS NULL THEN 'unrouted' ELSE 'without an outcome' END AS state
        FROM event e WHERE outcome IS NULL AND NOT EXISTS (SELECT FROM parked_status p WHERE p.event_id = e.id)
      UNION ALL SELECT 'batch', state FROM batch WHERE state IN ('collecting', 'queued', 'running', 'retry_wait')
      UNION ALL SELECT 'part', state FROM part
        WHERE state IN ('pending', 'sending') OR (state = 'unknown' AND reason IS DISTINCT FROM 'in-review')
      UNION ALL SELECT 'conversation', 'taken over' FROM conversation WHERE taken_over_at IS NOT NULL) AS moving
    GROUP BY kind, state`);
  const open = lab.model.open().length;
  return [
    ...rows.map(({ what }) => what),
    ...(pendingRetries > 0 ? [`webhooks to repeat: ${pendingRetries}`] : []),
    ...(open > 0 ? [`open calls of the model: ${open}`] : []),
  ];
}
