/** B18: the only responder is told to stop while ten turns run, two of them in a tool, and people go on writing. */
import { eventually, type RunningService, type ServiceExit } from '#testing';
import { blockWrites } from '../harness/blocked-statement.js';
import { checkInvariants } from '../harness/check-invariants.js';
import { newTexts, startModelWorld, toolResults, type ModelWorld } from '../harness/model-world.js';
import type { Person } from '../harness/person.js';
import { settle } from '../harness/settle.js';
import { at, createGate } from '../harness/timing.js';
import { BACKENDS } from '../harness/world.js';

const LEASE_MS = 6_000;
const PATIENCE_MS = 45_000;
/** Beside the grace: closing connections is bounded by this, and two busy cores are slow, ms. */
const CLOSING_MS = 7_000;
/** One message of somebody every so often while the responder stops, ms. */
const WRITES_EVERY_MS = 200;

interface RunningTurn {
  phone: string;
  state: string;
  attempts: number;
  /** What is left of its lease, and how far renewals have moved its end from the claim, ms. */
  leftMs: number;
  heldForMs: number;
}

describe.each(BACKENDS)('the only responder is stopped, wake-ups over %s', (backend) => {
  let world: ModelWorld;
  let responder: RunningService;
  let answers = createGate();
  const said: string[] = [];

  beforeAll(async () => {
    world = await startModelWorld({
      backend,
      env: { LEASE_MS: String(LEASE_MS), TURN_CONCURRENCY: '12', WINDOW_MS: '300', MAX_WAIT_MS: '2000' },
      services: { console: 0, responder: 0 },
    });
    world.model.always(async (request) => {
      const texts = newTexts(request);
      if (texts.some((text) => text.includes('book')) && toolResults(request).length === 0) {
        const startsAt = `Saturday, as asked in question ${world.model.requests.length}`;
        return { toolCalls: [{ name: 'hold_appointment', arguments: { startsAt } }] };
      }
      await answers.opened;
      return { text: `Answer to: ${texts.join(' / ')}` };
    });
    responder = await world.start('responder', { SHUTDOWN_GRACE_MS: '10000' });
  }, 120_000);
  afterAll(() => world?.close());

  async function says(person: Person, text: string): Promise<void> {
    said.push(text);
    await person.says(text);
  }

  /** Ten turns run: two wait in their tool, behind a lock on the calendar, and the others for the model. */
  async function tenTurns(wave: string) {
    answers = createGate();
    const calendar = await blockWrites(world, 'appointment');
    const people = Array.from({ length: 10 }, () => world.person());
    const before = world.model.requests.length;
    await Promise.all(people.map((person, n) => says(person, `${wave}: ${n < 2 ? 'book' : 'question'} ${n}`)));
    await eventually(() => world.model.requests.length === before + 10, { timeoutMs: PATIENCE_MS });
    await eventually(async () => (await startedTools()) === 2);
    return { calendar, booking: people.slice(0, 2), asking: people.slice(2), people };
  }

  /** Tells it to stop; from then on the ten and others go on writing until it has ended. */
  async function stop(people: Person[], wave: string): Promise<{ exit: ServiceExit; tookMs: number }> {
    const stoppedAt = Date.now();
    let exit: ServiceExit | undefined;
    void responder.kill('SIGTERM').then((ended) => (exit = ended));
    await eventually(() => responder.output().includes('"stopping"'));
    const writers = [...Array.from({ length: 5 }, () => world.person()), ...people];
    const startedAt = Date.now();
    for (let n = 0; exit === undefined; n++) {
      await says(writers[n % writers.length] as Person, `${wave}: meanwhile ${n}`);
      await at(startedAt, n * WRITES_EVERY_MS);
    }
    return { exit, tookMs: Date.now() - stoppedAt };
  }

  const startedTools = async () => (await world.query(`SELECT FROM model_step WHERE state = 'started'`)).length;
  const turnsSoFar = async () => (await world.query('SELECT FROM turn')).length;
  /** Nothing but the stop keeps them from being claimed. */
  const claimable = () =>
    world.query(
      `SELECT FROM batch b WHERE state = 'collecting' AND due_at < oneturn_now() - interval '500 ms'
        AND NOT EXISTS (SELECT FROM batch o WHERE o.conversation_id = b.conversation_id AND o.id <> b.id)`,
    );
  const turnsOf = (people: Person[]) =>
    world.query<RunningTurn>(
      `SELECT DISTINCT ON (c.id) c.phone, b.state, b.attempts, epoch_ms(b.lease_until) - epoch_ms(oneturn_now()) AS "leftMs",
        epoch_ms(b.lease_until) - epoch_ms(b.sealed_at) AS "heldForMs"
        FROM batch b JOIN conversation c ON c.id = b.conversation_id WHERE c.phone = ANY($1) ORDER BY c.id, b.id`,
      [people.map((person) => person.phone)],
    );

  /** Each text is in one accepted reply, and in no other. */
  async function allAreAnsweredOnce(): Promise<void> {
    await settle(world, PATIENCE_MS);
    const accepted = (await world.simulator.calls({ kind: 'send' })).filter((call) => call.accepted);
    const answered = accepted.flatMap(({ text }) => (text ?? '').replace('Answer to: ', '').split(' / '));
    expect(answered.toSorted()).toEqual(said.toSorted());
  }

  it('turns that end within the grace answer, also those in a tool; nothing new is begun', async () => {
    const { calendar, booking, people } = await tenTurns('first');
    const before = await turnsSoFar();
    const stopping = stop(people, 'first');
    await eventually(() => responder.output().includes('"stopping"'));
    answers.open();
    await eventually(async () => (await turnsOf(people)).filter((turn) => turn.state === 'replied').length === 8, {
      timeoutMs: PATIENCE_MS,
    });
    // The tools work on, and their leases are renewed meanwhile.
    await eventually(
      async () =>
        (await turnsOf(booking)).every((turn) => turn.state === 'running' && turn.heldForMs > LEASE_MS + 2_000),
      { timeoutMs: 9_000 },
    );
    await calendar.release();
    expect((await stopping).exit).toEqual({ code: 0, signal: null });
    expect(await turnsOf(people)).toEqual(people.map(() => expect.objectContaining({ state: 'replied', attempts: 1 })));
    expect(responder.output()).not.toContain('stopped before every turn had ended');
    // Others were due all that time.
    expect(await claimable()).not.toEqual([]);
    expect(await turnsSoFar()).toBe(before);

    responder = await world.start('responder', { SHUTDOWN_GRACE_MS: '2000' });
    await allAreAnsweredOnce();
  }, 120_000);

  it('turns that do not are free for the next process, except for those in a tool: they keep their lease', async () => {
    const { calendar, booking, asking, people } = await tenTurns('second');
    const before = await turnsSoFar();
    const stopping = stop(people, 'second');
    await eventually(() => responder.output().includes('stopped before every turn had ended'));
    const kept = await turnsOf(booking);
    expect(kept).toEqual(booking.map(() => expect.objectContaining({ state: 'running', attempts: 1 })));
    for (const { leftMs } of kept) expect(leftMs).toBeGreaterThan(LEASE_MS / 2);
    for (const { state, leftMs } of await turnsOf(asking)) expect([state, leftMs <= 0]).toEqual(['running', true]);
    const { exit, tookMs } = await stopping;
    expect(exit).toEqual({ code: 0, signal: null });
    expect(tookMs).toBeLessThan(2_000 + CLOSING_MS);
    expect(await claimable()).not.toEqual([]);
    expect(await turnsSoFar()).toBe(before);

    answers.open();
    responder = await world.start('responder');
    await eventually(async () => (await turnsOf(asking)).every((turn) => turn.state === 'replied'), {
      timeoutMs: PATIENCE_MS,
    });
    // What the first process asked of the calendar may happen at any moment: the next one asks under the same key.
    await eventually(async () => (await turnsOf(booking)).every((turn) => turn.attempts === 2), {
      timeoutMs: PATIENCE_MS,
    });
    await calendar.release();
    await allAreAnsweredOnce();
    expect(await turnsOf(people)).toEqual(people.map(() => expect.objectContaining({ state: 'replied', attempts: 2 })));
  }, 120_000);

  it('no two turns overlapped, and every booking is there once', async () => {
    expect(
      await world.query(`
        SELECT b.conversation_id, t.id FROM turn t JOIN batch b ON b.id = t.batch_id
          JOIN batch ob USING (conversation_id) JOIN turn o ON o.batch_id = ob.id
          WHERE o.id > t.id AND o.started_at < t.ended_at`),
    ).toEqual([]);
    expect(await world.query('SELECT conversation_id FROM appointment')).toHaveLength(4);
    expect(await world.query('SELECT FROM appointment GROUP BY conversation_id')).toHaveLength(4);
  });

  it('keeps the invariants', () => checkInvariants(world, { waits: false }), 60_000);
});
