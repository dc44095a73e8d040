/** B17: whatever cuts a turn off, and however the model words its wish again, a tool's effect happens once. */
import { eventually, textsOf, type ModelAnswer, type RunningService } from '#testing';
import { blockWrites } from '../harness/blocked-statement.js';
import { checkInvariants } from '../harness/check-invariants.js';
import { CRASH_ENV } from '../harness/crash-env.js';
import { crash } from '../harness/crash.js';
import { newTexts, startModelWorld, toolResults, type ModelWorld } from '../harness/model-world.js';
import type { Person } from '../harness/person.js';
import { createGate, type Gate } from '../harness/timing.js';
import { BACKENDS } from '../harness/world.js';

/** Several restarts on two busy cores. */
const PATIENCE_MS = 45_000;

const SAID_FIRST = { startsAt: 'Saturday 19:00', service: 'a table for two' };
/** The same wish, as the model words it when it is asked again. */
const SAID_AGAIN = { startsAt: 'Sat, 7 pm', service: 'dinner (2 people)' };

const book = (args: Record<string, string>): ModelAnswer => ({
  toolCalls: [{ name: 'hold_appointment', arguments: args }],
});
const after = (gate: Gate, answer: ModelAnswer) => async () => {
  await gate.opened;
  return answer;
};

interface Appointment {
  id: string;
  key: string;
  startsAt: string;
  service: string;
  /** Another one after every write, that of the same values included. */
  version: string;
}

interface Step {
  kind: string;
  state: string;
  fence: string;
  key: string | null;
  startsAt: string | null;
}

// What wakes the responder has no part in any of it.
describe('a tool has its effect once', () => {
  let world: ModelWorld;
  beforeAll(async () => {
    world = await startModelWorld({
      backend: BACKENDS[0] ?? 'postgres',
      env: CRASH_ENV,
      services: { console: 0 },
    });
  }, 120_000);
  afterAll(() => world?.close());

  const asked = (count: number) =>
    eventually(() => world.model.requests.length >= count && world.model.requests, { timeoutMs: PATIENCE_MS });
  /** The newest one: those before it were killed. */
  const responder = () => world.running.findLast((one) => one.name === 'responder') as RunningService;

  const appointmentsOf = (person: Person): Promise<Appointment[]> =>
    world.query(
      `SELECT p.id::text, p.key, p.starts_at AS "startsAt", p.service, p.xmin::text AS version
        FROM appointment p JOIN contact_alias a USING (conversation_id) WHERE a.value = $1 ORDER BY p.id`,
      [person.phone],
    );
  const stepsOf = (batchId: string): Promise<Step[]> =>
    world.query(
      `SELECT kind, state, fence::text, call ->> 'key' AS key, call #>> '{args,startsAt}' AS "startsAt"
        FROM model_step WHERE batch_id = $1 ORDER BY position`,
      [batchId],
    );
  const turnsOf = (person: Person): Promise<{ batchId: string; attempt: number; outcome: string }[]> =>
    world.query(
      `SELECT t.batch_id::text AS "batchId", t.attempt, t.outcome FROM turn t JOIN batch b ON b.id = t.batch_id
        JOIN contact_alias a USING (conversation_id) WHERE a.value = $1 ORDER BY t.id`,
      [person.phone],
    );

  it('when the model fails after it and asks for it again in other words', async () => {
    const person = world.person();
    const before = world.model.requests.length;
    world.model.next(book(SAID_FIRST), { status: 500 }, book(SAID_AGAIN), { text: 'It is held for you.' });
    await person.says('book a table, 7 pm on Saturday');
    expect((await person.hears(1)).map((entry) => entry.text)).toEqual(['It is held for you.']);

    const [turn, ...others] = await turnsOf(person);
    expect([turn, ...others]).toMatchObject([
      { attempt: 1, outcome: 'failed' },
      { attempt: 2, outcome: 'replied' },
    ]);
    const [appointment, ...more] = await appointmentsOf(person);
    expect(more).toEqual([]);
    expect(appointment).toMatchObject({ ...SAID_FIRST, key: `${turn?.batchId}:1` });
    // Both calls are in the journal, under the key of the one that ran.
    expect((await stepsOf(turn?.batchId ?? '')).filter((step) => step.kind === 'tool')).toMatchObject([
      { key: appointment?.key, startsAt: SAID_FIRST.startsAt, state: 'finished' },
      { key: appointment?.key, startsAt: SAID_AGAIN.startsAt, state: 'finished' },
    ]);
    const requests = world.model.requests.slice(before);
    expect(requests).toHaveLength(4);
    const stored = { held: true, appointment: appointment?.id, startsAt: SAID_FIRST.startsAt };
    // The second attempt goes on in the transcript; the second wish gets the stored result, and is told so.
    expect(toolResults(requests[2])).toEqual([expect.objectContaining(stored)]);
    expect(toolResults(requests[3])).toEqual([
      expect.objectContaining(stored),
      expect.objectContaining({ ...stored, note: expect.stringContaining('Not run again') }),
    ]);
  }, 60_000);

  it('when its process dies between the effect and the journal: it is called again, under the same key', async () => {
    const person = world.person();
    world.model.next(book(SAID_FIRST), book(SAID_AGAIN), { text: 'It is held, after all.' });
    const effect = await blockWrites(world, 'appointment');
    await person.says('book a table, and let the lights go out');
    // The call is in the journal and its effect under way; from here on the journal takes nothing.
    await effect.reached('responder');
    const journal = await blockWrites(world, 'model_step');
    await effect.release();
    await journal.reached('responder');
    const [committed] = await appointmentsOf(person);
    const startAgain = await crash(world, responder());
    await journal.cancelWaiting();
    await journal.release();
    const batchId = (await turnsOf(person))[0]?.batchId ?? '';
    expect(await stepsOf(batchId)).toMatchObject([{ kind: 'answer' }, { kind: 'tool', state: 'started' }]);

    await startAgain();
    expect((await person.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['It is held, after all.']);
    const [appointment, ...more] = await appointmentsOf(person);
    expect(more).toEqual([]);
    expect(appointment).toEqual({ ...committed, version: expect.any(String) });
    expect(appointment).toMatchObject({ ...SAID_FIRST, key: `${batchId}:1` });
    expect(appointment?.version).not.toBe(committed?.version);
    const calls = (await stepsOf(batchId)).filter((step) => step.kind === 'tool');
    expect(calls.map((call) => call.key)).toEqual([appointment?.key, appointment?.key]);
  }, 60_000);

  it('when the customer goes on writing after it: the turn is not begun anew, they wait for the next one', async () => {
    const person = world.person();
    const before = world.model.requests.length;
    const reply = createGate();
    world.model.next(book(SAID_FIRST), after(reply, { text: 'It is held.' }), { text: 'A window table, noted.' });
    await person.says('book a table');
    await asked(before + 2);
    await person.says('by the window, please');
    // It is due and would be answered, were it not for the turn that runs.
    await eventually(async () => {
      const waiting = await world.query(
        `SELECT FROM batch b JOIN contact_alias a USING (conversation_id)
          WHERE a.value = $1 AND b.state = 'collecting' AND b.due_at < oneturn_now() - interval '500 ms'`,
        [person.phone],
      );
      return waiting.length === 1;
    });
    expect(world.model.requests).toHaveLength(before + 2);
    reply.open();
    expect((await person.hears(2)).map((entry) => entry.text)).toEqual(['It is held.', 'A window table, noted.']);
    expect(world.model.requests.slice(before).map(newTexts)).toEqual([
      ['book a table'],
      ['book a table'],
      ['by the window, please'],
    ]);
    expect(textsOf(world.model.requests[before + 2] as never, 'assistant')).toEqual(['It is held.']);
    expect(await turnsOf(person)).toMatchObject([
      { attempt: 1, outcome: 'replied' },
      { attempt: 1, outcome: 'replied' },
    ]);
    expect(await appointmentsOf(person)).toMatchObject([SAID_FIRST]);
  }, 60_000);

  it('when its holder was frozen while the model asked for it, and another one has the turn', async () => {
    const person = world.person();
    const before = world.model.requests.length;
    const [late, inTime] = [createGate(), createGate()];
    world.model.next(after(late, book(SAID_FIRST)), book(SAID_AGAIN), after(inTime, { text: 'It is held, once.' }));
    const frozen = responder();
    await person.says('book a table in the cold');
    await asked(before + 1);
    process.kill(frozen.pid, 'SIGSTOP');
    late.open();
    await world.start('responder');
    await asked(before + 3);
    process.kill(frozen.pid, 'SIGCONT');
    await eventually(() => frozen.output().includes('this turn has lost its batch'));
    inTime.open();
    expect((await person.hears(1)).map((entry) => entry.text)).toEqual(['It is held, once.']);
    expect(await appointmentsOf(person)).toMatchObject([SAID_AGAIN]);
    const batchId = (await turnsOf(person))[0]?.batchId ?? '';
    expect((await stepsOf(batchId)).map((step) => step.fence)).toEqual(['2', '2', '2']);
  }, 60_000);

  it('keeps the invariants', () => checkInvariants(world, { waits: false }), 60_000);
});
