/** B03: what could not be stored is refused, comes again, and is one event. */
import { eventually } from '#testing';
import { blockWrites } from '../harness/blocked-statement.js';
import { checkInvariants } from '../harness/check-invariants.js';
import type { Person, Said } from '../harness/person.js';
import { webhooksOf } from '../harness/settle.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

describe.each(BACKENDS)('Postgres is away, wake-ups over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ backend, services: { console: 0 }, databaseWire: true });
    await world.simulator.control('settings', {
      retry: { baseMs: 250, maxDelayMs: 500 },
      // Nothing else may be stored meanwhile: the statement that a test ends must be its own.
      statuses: { sentMs: null, deliveredMs: null, readMs: null },
    });
  }, 120_000);
  afterAll(() => world?.close());

  /** The answers to one message so far, one for each time that it was posted. */
  async function answersTo(said: Said): Promise<(number | null)[]> {
    const deliveries = await webhooksOf(world);
    return deliveries.filter(({ holds }) => holds.includes(`message ${said.id}`)).map(({ status }) => status);
  }

  async function rowsOf(id: string): Promise<number> {
    return (await world.query('SELECT FROM event WHERE external_id = $1', [id])).length;
  }

  async function isStoredAndAnsweredOnce(person: Person, said: Said): Promise<void> {
    await eventually(async () => (await answersTo(said)).at(-1) === 200);
    expect(await rowsOf(said.id)).toBe(1);
    await person.hears(1);
    expect(person.turns()).toEqual([['hi']]);
  }

  it('refuses while it cannot be reached, and takes the repetition', async () => {
    const person = world.person();
    world.wire?.cut();
    const said = await person.says('hi');
    await eventually(async () => (await answersTo(said)).length >= 2);
    expect(await rowsOf(said.id)).toBe(0);
    expect((await answersTo(said)).slice(0, 2)).toEqual([503, 503]);
    world.wire?.restore();
    await isStoredAndAnsweredOnce(person, said);
  });

  it('takes the repetition when the insert was rolled back', async () => {
    const person = world.person();
    const block = await blockWrites(world, 'event');
    const posted = person.says('hi');
    // Its insert waits behind the lock when it is ended: it has begun and is never committed.
    await block.reached('ingest');
    await block.endWaiting('ingest');
    await block.release();
    const said = await posted;
    expect(said.delivered).toBe(503);
    await isStoredAndAnsweredOnce(person, said);
  });

  it('takes the repetition as a copy when the commit happened and its answer was lost', async () => {
    const person = world.person();
    const id = `wamid.answer-lost-${backend}`;
    world.wire?.loseAnswersTo(id);
    const posted = person.says('hi', { id });
    await eventually(async () => (await rowsOf(id)) === 1);
    world.wire?.cut();
    const said = await posted;
    expect(said.delivered).toBe(503);
    world.wire?.restore();
    await isStoredAndAnsweredOnce(person, said);
  });

  it('keeps the invariants', () => checkInvariants(world, { waits: false }), 60_000);
});
