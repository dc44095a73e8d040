/** What must hold after every case, judged from outside: the simulator's log, the assistant's, and the tables. */
import { EVENT_OUTCOMES } from '#domain';
import { eventually } from '#testing';
import { settle, webhooksOf } from './settle.js';
import type { World } from './world.js';

/** A sweep, a claim, and what a busy machine adds, ms. Without a sweep the wait would be for ever. */
export const TICK_MS = 10_000;
/** Two logs of one moment are written one after the other, ms. */
const LOG_SKEW_MS = 25;

export interface InvariantOptions {
  /** False where the case moved the clock, kept services away or had a person in charge: waits then say nothing. */
  waits?: boolean;
}

/** Waits for the world to come to rest; expects that I1 to I6 hold. */
export async function checkInvariants(world: World, { waits = true }: InvariantOptions = {}): Promise<void> {
  await settle(world);
  // A status may still come in between two looks; what is wrong stays wrong.
  await eventually(
    async () => {
      expect([
        ...(await eventsWithoutAnEnd(world)),
        ...turnsAtOnce(world),
        ...(await sentAgain(world)),
        ...(await outOfOrder(world)),
        ...(waits ? await waitedTooLong(world) : []),
        ...(await refusedForGood(world)),
      ]).toEqual([]);
      return true;
    },
    { timeoutMs: 5_000, everyMs: 500 },
  );
}

/** I1: each acknowledged message is an event; each event has one outcome of the closed set. */
async function eventsWithoutAnEnd(world: World): Promise<string[]> {
  const rows = await world.query<{ id: string; outcome: string; batch: string | null }>(
    // A status may wait a day for the message that it names.
    'SELECT external_id AS id, outcome, batch_id::text AS batch FROM event WHERE id NOT IN (SELECT event_id FROM parked_status)',
  );
  const stored = new Set(rows.map((row) => row.id));
  const acknowledged = (await webhooksOf(world))
    .filter((delivery) => delivery.status === 200)
    .flatMap((delivery) => delivery.holds.flatMap((held) => /^message (.+)$/.exec(held)?.[1] ?? []));
  const closed: readonly string[] = EVENT_OUTCOMES;
  return [
    ...[...new Set(acknowledged)].filter((id) => !stored.has(id)).map((id) => `I1 acknowledged, not stored: ${id}`),
    ...rows.filter((row) => !closed.includes(row.outcome)).map((row) => `I1 ${row.id} ended as ${row.outcome}`),
    ...rows.filter((row) => row.outcome === 'in_batch' && row.batch === null).map((row) => `I1 ${row.id} has no batch`),
  ];
}

/** I2: no turn of a conversation begins before the one before it has ended. */
function turnsAtOnce(world: World): string[] {
  const lastEnd = new Map<string, number>();
  return world.assistant.requests.flatMap(({ turn, http }) => {
    const before = lastEnd.get(turn.conversation.id) ?? -Infinity;
    lastEnd.set(turn.conversation.id, http.endedAt ?? Infinity);
    return http.at + LOG_SKEW_MS < before ? [`I2 batch ${turn.batch.id} began during another turn`] : [];
  });
}

/** I3: a part that the channel said it accepted is never sent again, and no part has two copies. */
async function sentAgain(world: World): Promise<string[]> {
  const accepted = new Set<string>();
  return (await world.simulator.calls({ kind: 'send' })).flatMap((call) => {
    const part = /^part:(\d+):/.exec(call.tracker ?? '')?.[1];
    if (part === undefined) return [`I3 a send without a tracker: ${call.text}`];
    const again = accepted.has(part);
    if (call.accepted) accepted.add(part);
    return again ? [`I3 part ${part} was sent again: ${call.text}`] : [];
  });
}

/** I4: the input of a turn is ordered by provider time, then by arrival. */
async function outOfOrder(world: World): Promise<string[]> {
  const rows = await world.query<{ id: string; said: number; arrived: number }>(`
    SELECT external_id AS id, epoch_ms(least(provider_at, arrived_at)) AS said, epoch_ms(arrived_at) AS arrived FROM event`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return world.assistant.requests.flatMap(({ turn }) =>
    turn.messages.flatMap(({ id }, index) => {
      const now = byId.get(id);
      const before = byId.get(turn.messages[index - 1]?.id ?? id);
      if (now === undefined || before === undefined) return [`I4 ${id} is not a stored message`];
      const later = before.said > now.said || (before.said === now.said && before.arrived > now.arrived);
      return later ? [`I4 ${id} comes too late in its turn`] : [];
    }),
  );
}

/** I5: a batch is due within the cap, and its turn begins then, or when the conversation is free. */
async function waitedTooLong(world: World): Promise<string[]> {
  const rows = await world.query<{ id: string; what: string }>(
    `
    WITH free AS (SELECT b.id, b.due_at, b.first_at, min(t.started_at) AS began,
        greatest(b.due_at,
          (SELECT max(o.ended_at) FROM turn o JOIN batch ob ON ob.id = o.batch_id
            WHERE ob.conversation_id = b.conversation_id AND ob.id < b.id),
          (SELECT max(greatest(p.accepted_at, p.failed_at)) FROM part p
            WHERE p.conversation_id = b.conversation_id AND p.batch_id < b.id)) AS free_at
      FROM batch b JOIN turn t ON t.batch_id = b.id WHERE b.replaces_id IS NULL GROUP BY b.id)
    SELECT id::text, 'is due after the cap' AS what FROM free WHERE due_at > first_at + $1::int * interval '1 ms'
    UNION ALL SELECT id::text, 'waited ' || epoch_ms(began) - epoch_ms(free_at) || ' ms for its turn' FROM free
      WHERE began > free_at + $2::int * interval '1 ms'`,
    [Number(world.env['MAX_WAIT_MS']), TICK_MS],
  );
  return rows.map((row) => `I5 batch ${row.id} ${row.what}`);
}

/** I6: what was not acknowledged came again and was, as one and the same event. */
async function refusedForGood(world: World): Promise<string[]> {
  const open = new Set<string>();
  for (const { holds, status } of await webhooksOf(world)) {
    for (const held of holds) {
      if (status === 200) open.delete(held);
      else if (held !== 'raw') open.add(held);
    }
  }
  return [...open].map((held) => `I6 never acknowledged: ${held}`);
}
