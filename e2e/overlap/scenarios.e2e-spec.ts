/**
 * Every shared scenario from the signed webhook to what the assistant is sent and what the console shows: two
 * responders, both queue backends, all at once. A thread of a scenario is a chat of its own, as on WhatsApp.
 */
import { eventually, type AssistantRequest } from '#testing';
import { createPerson, type Person } from '../harness/person.js';
import { AnswersByPerson } from '../harness/answers-by-person.js';
import { at } from '../harness/timing.js';
import { BACKENDS, type World } from '../harness/world.js';
import {
  accountOf,
  policyOf,
  SCENARIOS,
  SLOWER,
  startOverlapWorld,
  SWEEP_MS,
  type Scenario,
} from './scenario-world.js';

/** What a machine that runs the whole suite adds to each turn in a chain, ms; the strategies differ by a second and more. */
const STALL_MS = Number(process.env['ONETURN_STALL_MS'] ?? 600);

const STAGGER_MS = 150;

interface Console {
  messages: { externalId: string; outcome: string | null; reason: string | null; fate: string }[];
  conversation: { queueDepth: number };
}

const idOf = (scenario: Scenario, id: string): string => `wamid.${scenario.name}.${id}`;
const nameOf = (externalId: string): string => externalId.split('.').at(-1) as string;

/** Plays it; resolves to when its clock began, epoch ms. */
async function play(world: World, answers: AnswersByPerson, scenario: Scenario, index: number): Promise<number> {
  const people = new Map<string, Person>();
  for (const [, , thread = 'wa:c:t'] of scenario.arrivals) {
    const phone = `1555${String(200_000 + index * 100 + people.size)}`;
    if (!people.has(thread)) people.set(thread, createPerson(world.simulator, phone, answers));
  }
  const handle = ({ turn }: AssistantRequest) => {
    const latencyMs = scenario.handlerMs * SLOWER;
    const throws = turn.messages.some(({ id }) => scenario.throwOn?.includes(nameOf(id)));
    return throws ? { latencyMs, status: 500 } : { latencyMs, silent: true as const };
  };
  for (const person of people.values()) person.willBeAnswered(...Array(20).fill(handle));
  // They all overlap; beginning in the same millisecond would only measure how fast the machine starts two dozen turns.
  await at(Date.now(), index * STAGGER_MS);
  const start = Date.now();
  for (const [ms, id, thread = 'wa:c:t'] of scenario.arrivals) {
    await at(start, ms * SLOWER);
    const said = await people.get(thread)?.says(id, { account: accountOf(index), id: idOf(scenario, id) });
    expect(said?.delivered).toBe(200);
  }
  return start;
}

function callsOf(world: World, index: number): AssistantRequest[] {
  return world.assistant.requests.filter(({ turn }) => turn.account.externalId === accountOf(index));
}

async function outcomesOf(world: World, scenario: Scenario, index: number): Promise<Record<string, string>> {
  const rows = await world.query<{ id: string }>(
    `SELECT id::text FROM conversation WHERE account_id = (SELECT id FROM account WHERE external_id = $1)`,
    [accountOf(index)],
  );
  const views = await Promise.all(rows.map(({ id }) => world.console<Console>(`/api/conversations/${id}`)));
  expect(views.map(({ conversation }) => conversation.queueDepth)).toEqual(views.map(() => 0));
  const messages = views.flatMap((view) => view.messages);
  expect(new Set(messages.map(({ externalId }) => externalId)).size).toBe(messages.length);
  return Object.fromEntries(
    messages.map(({ externalId, outcome, reason, fate }) => {
      if (outcome === 'in_batch') expect(fate).toMatch(/^waited .+, joined batch \d+$/);
      if (reason === 'queue-full') expect(fate).toBe('dropped: queue full');
      return [nameOf(externalId), `${outcome ?? 'open'}${reason === null ? '' : ` ${reason}`}`];
    }),
  );
}

function expectedOutcomes({ arrivals, expect: expected }: Scenario): Record<string, string> {
  return Object.fromEntries(
    arrivals.map(([, id]) => {
      if (expected.dropped?.[id] !== undefined) return [id, `dropped ${expected.dropped[id]}`];
      if (expected.expired?.includes(id)) return [id, 'ignored expired'];
      return [id, expected.superseded?.includes(id) ? 'superseded newer-message' : 'in_batch'];
    }),
  );
}

describe.each(BACKENDS)('overlap scenarios, wake-ups over %s', (backend) => {
  let world: World;
  const starts: Promise<number>[] = [];

  beforeAll(async () => {
    world = await startOverlapWorld(backend, SCENARIOS.map(policyOf));
    const answers = new AnswersByPerson(world.assistant);
    for (const [index, scenario] of SCENARIOS.entries()) {
      const playing = play(world, answers, scenario, index);
      playing.catch(() => undefined);
      starts.push(playing);
    }
  }, 240_000);
  afterAll(() => world?.close());

  it.each(SCENARIOS.map((scenario, index) => [scenario.name, scenario, index] as const))(
    '%s',
    async (_, scenario, index) => {
      const start = await (starts[index] as Promise<number>);
      const { calls } = scenario.expect;
      await eventually(
        async () => {
          expect(await outcomesOf(world, scenario, index)).toEqual(expectedOutcomes(scenario));
          return true;
        },
        { timeoutMs: 30_000, everyMs: 250 },
      );
      const made = callsOf(world, index).map(({ turn, http }) => ({
        at: http.at - start,
        id: nameOf(turn.message.id),
        skipped: turn.skipped.map(({ id }) => nameOf(id)),
        total: turn.totalSinceLastHandler,
        all: turn.messages.map(({ id }) => nameOf(id)),
      }));
      expect(made.map(({ id, skipped, total }) => ({ id, skipped, total }))).toEqual(
        calls.map(({ id, skipped, total }) => ({ id, skipped, total })),
      );
      for (const [n, call] of made.entries()) {
        expect(call.all).toEqual([...call.skipped, call.id]);
        const due = (calls[n]?.at ?? 0) * SLOWER;
        // Each turn that it had to wait for may have been one sweep late itself.
        expect(call.at).toBeGreaterThanOrEqual(due - 50);
        expect(call.at).toBeLessThanOrEqual(due + (SWEEP_MS + STALL_MS) * (n + 1));
      }
    },
    60_000,
  );

  it('has nothing left that waits, and nothing unaccounted for', async () => {
    await Promise.all(starts);
    const ledger = await eventually(async () => {
      const read = await world.console<{ unaccounted: number; waiting: Record<string, number> }>('/api/ledger');
      return read.waiting['lease'] === 0 && read;
    });
    expect(ledger.unaccounted).toBe(0);
    expect(ledger.waiting).toMatchObject({ routing: 0, window: 0, turn: 0, retry: 0 });
  });
});
