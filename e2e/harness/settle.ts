/** Waits until a world has come to rest: nothing left that goes on by itself. */
import { eventually } from '#testing';
import type { World } from './world.js';

export interface WebhookDelivery {
  at: number;
  tookMs: number | null;
  holds: string[];
  status: number | null;
}

/** Every webhook that the simulator has posted, in order. */
export async function webhooksOf(world: World): Promise<WebhookDelivery[]> {
  const answer = await world.simulator.control<{ deliveries: WebhookDelivery[] }>('webhooks');
  return answer.deliveries;
}

/** What may still move without anybody's doing, by name; empty: at rest. */
async function restlessness(world: World): Promise<string[]> {
  const { pendingRetries } = await world.simulator.control<{ pendingRetries: number }>('webhooks');
  const rows = await world.query<{ what: string }>(`
    SELECT 'event ' || external_id AS what FROM event
      WHERE outcome IS NULL AND id NOT IN (SELECT event_id FROM parked_status)
    UNION ALL SELECT 'batch ' || state FROM batch WHERE state IN ('collecting', 'queued', 'running', 'retry_wait')
    UNION ALL SELECT 'part ' || state FROM part WHERE state IN ('pending', 'sending')
      OR (state = 'unknown' AND reason IS DISTINCT FROM 'in-review')`);
  return [...(pendingRetries > 0 ? [`${pendingRetries} webhooks to repeat`] : []), ...rows.map((row) => row.what)];
}

export async function settle(world: World, timeoutMs = 20_000): Promise<void> {
  await eventually(
    async () => {
      expect(await restlessness(world)).toEqual([]);
      return true;
    },
    { timeoutMs, everyMs: 100 },
  );
}
