/** After an outage: what the channel kept for hours comes with what was just said, and what waited here has grown old. */
import { eventually, shiftDatabaseClock } from '#testing';
import { checkInvariants } from '../harness/check-invariants.js';
import { reviewsOf } from '../harness/parts.js';
import type { Person } from '../harness/person.js';
import { sideBySide, type Case } from '../harness/side-by-side.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;

/** Hours of four messages, as a channel delivers them that begins with the newest. */
const newestFirst = () => {
  const now = Math.floor(Date.now() / 1000);
  return [
    { text: 'anybody?', at: now - 30 },
    { text: 'do you have a table tonight?', at: now - 5 * MINUTE_S },
    { text: 'from one hour ago', at: now - HOUR_S },
    { text: 'from three hours ago', at: now - 3 * HOUR_S - 20 * MINUTE_S },
  ];
};

async function oldOnesAreCasesFreshOnesAnswered(world: World, person: Person): Promise<void> {
  await person.hears(1);
  expect(person.turns()).toEqual([['do you have a table tonight?', 'anybody?']]);
  expect(await person.sends()).toHaveLength(1);
  const reviews = await reviewsOf(world, person);
  expect(reviews.map(({ reason, state, detail }) => [reason, state, detail]).toSorted()).toEqual([
    ['late', 'open', 'said 1 h ago: from one hour ago'],
    ['late', 'open', 'said 3 h 20 min ago: from three hours ago'],
  ]);
  // The assistant is not asked to answer them, and knows them all the same.
  expect(person.asked()[0]?.turn.history.map(({ text }) => text)).toEqual([
    'from three hours ago',
    'from one hour ago',
  ]);
}

const inOneWebhook: Case = async (world) => {
  const person = world.person();
  await world.simulator.control('messages', { from: person.phone, messages: newestFirst() });
  await oldOnesAreCasesFreshOnesAnswered(world, person);
};

const oneByOne: Case = async (world) => {
  const person = world.person();
  for (const { text, at } of newestFirst()) await person.says(text, { at });
  await oldOnesAreCasesFreshOnesAnswered(world, person);
};

describe.each(BACKENDS)('old and new come together, newest first, wake-ups over %s', (backend) => {
  sideBySide(() => startWorld({ backend, services: { console: 0 } }), {
    'in one webhook': inOneWebhook,
    'in a webhook each': oneByOne,
  });
});

const LATE_AFTER_MS = 900_000;
const SWEEP_MS = 4_000;
const GROWN_OLD = 8;

describe.each(BACKENDS)('many batches wait for one slot, wake-ups over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      backend,
      services: { console: 0, responder: 0 },
      env: {
        TURN_CONCURRENCY: '1',
        WINDOW_MS: '300',
        LATE_AFTER_MS: String(LATE_AFTER_MS),
        SWEEP_MS: String(SWEEP_MS),
        POLL_MS: String(SWEEP_MS),
      },
    });
  }, 120_000);
  afterAll(() => world?.close());

  /** Everybody writes one message, one after the other, and is in a batch. */
  async function write(people: Person[], text: string): Promise<void> {
    for (const person of people) await person.says(text);
    await eventually(
      async () => {
        const waiting = await world.query(
          `SELECT FROM event e JOIN batch b ON b.id = e.batch_id JOIN conversation c ON c.id = b.conversation_id
            WHERE b.state = 'collecting' AND e.parsed #>> '{speech,text}' = $1 AND c.phone = ANY($2)`,
          [text, people.map((person) => person.phone)],
        );
        return waiting.length === people.length;
      },
      { timeoutMs: 30_000, everyMs: 50 },
    );
  }

  it('those that have grown too old hold nobody up; the others are answered, the longest waiting first', async () => {
    const old = Array.from({ length: GROWN_OLD }, () => world.person());
    const both = world.person();
    await write([...old, both], 'before the outage');
    await shiftDatabaseClock(world.database.url, LATE_AFTER_MS + 2 * MINUTE_S * 1000);
    await world.simulator.control('clock', { offsetMs: LATE_AFTER_MS + 2 * MINUTE_S * 1000 });
    const fresh = Array.from({ length: 4 }, () => world.person());
    await write([both, ...fresh], 'just now');
    const due = await world.query<{ phone: string }>(
      `SELECT c.phone FROM batch b JOIN conversation c ON c.id = b.conversation_id WHERE c.phone = ANY($1) ORDER BY b.due_at`,
      [[both, ...fresh].map((person) => person.phone)],
    );

    await world.start('responder');
    // Within a sweep, and not one sweep for each of those that are only put away.
    await Promise.all([both, ...fresh].map((person) => person.hears(1, 3 * SWEEP_MS)));
    const asked = world.assistant.requests.map(({ turn }) => phoneOf(turn.conversation.contact.aliases));
    expect(asked).toEqual(due.map((row) => row.phone));
    for (const person of [both, ...fresh]) expect(person.turns()).toEqual([['just now']]);
    for (const person of old) {
      expect(await person.sends()).toEqual([]);
      expect(await reviewsOf(world, person)).toMatchObject([
        { reason: 'late', state: 'open', detail: expect.stringMatching(/said 17 min ago/) },
      ]);
    }
    expect(await reviewsOf(world, both)).toMatchObject([
      { reason: 'late', state: 'open', detail: 'said 17 min ago: before the outage' },
    ]);
  }, 90_000);

  it('keeps the invariants', () => checkInvariants(world, { waits: false }), 60_000);
});

function phoneOf(aliases: unknown): string | undefined {
  return (aliases as { kind: string; value: string }[]).find(({ kind }) => kind === 'phone')?.value;
}
