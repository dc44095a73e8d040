/** The main job: a burst becomes one turn and one reply, with separate services on both queue backends. */
import { eventually } from '#testing';
import { BACKENDS, startWorld, type World } from './harness/world.js';

describe.each(BACKENDS)('a burst with separate services, wake-ups over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ backend, services: { console: 0 } });
  }, 150_000);
  afterAll(() => world.close());

  it('is answered once, with the texts in order, up to the blue ticks', async () => {
    const person = world.person();
    for (const text of ['hi', 'quick question', 'do you have anything Saturday?']) {
      expect((await person.says(text)).delivered).toBe(200);
    }
    await person.hears(1);
    await eventually(async () => (await person.received()).every((entry) => entry.tick === 'read'));
    expect(world.assistant.requests.map(({ turn }) => turn.messages.map((message) => message.text))).toEqual([
      ['hi', 'quick question', 'do you have anything Saturday?'],
    ]);
    expect((await person.received()).map((entry) => entry.text)).toEqual([
      'You said: hi / quick question / do you have anything Saturday?',
    ]);
    await eventually(async () => {
      const parts = await world.query<{ state: string }>('SELECT state FROM part');
      expect(parts).toEqual([{ state: 'read' }]);
      return true;
    });
    expect(await world.query('SELECT kind, outcome, count(*)::int FROM event GROUP BY 1, 2 ORDER BY 1, 2')).toEqual([
      { kind: 'message', outcome: 'in_batch', count: 3 },
      { kind: 'status', outcome: 'applied', count: 3 },
    ]);
  });
});
