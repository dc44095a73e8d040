/** The main job without Redis: it went away after the start, was never there, or takes connections and never answers. */
import { jest } from '@jest/globals';
import { eventually, freePort, type RunningService } from '#testing';
import { checkInvariants } from './harness/check-invariants.js';
import { closeBooks } from './harness/ledger.js';
import { startSilentServer } from './harness/silent-server.js';
import { BACKENDS, startWorld, type World } from './harness/world.js';

jest.setTimeout(90_000);

const PATIENCE_MS = 45_000;
const SWEEP_MS = 500;
const GRACE_MS = 2000;
/** What two busy cores may add to a sweep, and closing connections to a stop, ms. */
const TURN_MARGIN_MS = 2000;
const CLOSE_MS = 6000;
const BURST = ['hi', 'quick question', 'do you have anything Saturday?'];

interface Case {
  name: string;
  start(env: Record<string, string>): Promise<World>;
  /** After the services are up. */
  cut?: (world: World) => Promise<void>;
}

let closeSilent: () => Promise<void> = () => Promise.resolve();
const CASES: Case[] = [
  {
    name: 'stopped after the start',
    start: (env) => startWorld({ backend: 'redis', env, services: { console: 1 } }),
    cut: async (world) => {
      await world.person().says('while Redis is there');
      await world.redis?.kill();
    },
  },
  {
    name: 'not there from the beginning',
    start: async (env) => startWorld({ backend: 'redis', env, redisUrl: `redis://127.0.0.1:${await freePort()}` }),
  },
  {
    name: 'taking connections and never answering',
    start: async (env) => {
      const silent = await startSilentServer();
      closeSilent = silent.close;
      return startWorld({ backend: 'redis', env, redisUrl: `redis://127.0.0.1:${silent.port}` });
    },
  },
];

// Without a Redis program the first case cannot be played; the other two need none.
describe.each(CASES.slice(BACKENDS.includes('redis') ? 0 : 1))('Redis $name', ({ start, cut }) => {
  let world: World;
  beforeAll(async () => {
    world = await start({ SWEEP_MS: String(SWEEP_MS), SHUTDOWN_GRACE_MS: String(GRACE_MS) });
    await cut?.(world);
  }, 150_000);
  afterAll(async () => {
    await world?.close();
    await closeSilent();
  });

  it('acknowledges every webhook and answers a burst once, in order, up to the blue ticks', async () => {
    const person = world.person();
    for (const text of BURST) expect((await person.says(text)).delivered).toBe(200);
    expect((await person.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual([`You said: ${BURST.join(' / ')}`]);
    expect(person.turns()).toEqual([BURST]);
    await eventually(async () => (await person.received()).every((entry) => entry.tick === 'read'));
  });

  it('acknowledges many at once, too', async () => {
    const people = Array.from({ length: 20 }, () => world.person());
    const said = await Promise.all(people.map((person) => person.says('hello')));
    expect(said.map(({ delivered }) => delivered)).toEqual(people.map(() => 200));
    await Promise.all(people.map((person) => person.hears(1, PATIENCE_MS)));
  });

  it('starts the turns when they are due, at most a sweep later', async () => {
    const turns = await world.query<{ late: number }>(
      `SELECT epoch_ms(t.started_at) - epoch_ms(b.due_at) AS late FROM turn t JOIN batch b ON b.id = t.batch_id
      JOIN conversation c ON c.id = b.conversation_id WHERE NOT EXISTS (SELECT FROM event e
        WHERE e.batch_id = b.id AND e.parsed #>> '{speech,text}' IN ('while Redis is there', 'hello'))`,
    );
    expect(turns).toHaveLength(1);
    for (const { late } of turns) expect(late).toBeLessThan(SWEEP_MS + TURN_MARGIN_MS);
  });

  it('loses nothing', async () => {
    expect((await closeBooks(world)).unaccounted).toEqual([]);
    await checkInvariants(world, { waits: false });
  });

  it('stops cleanly', async () => {
    const services = world.running.filter((service) => service.name !== 'simulator');
    expect(services.map(({ name }) => name).sort()).toEqual(['batcher', 'console', 'ingest', 'responder']);
    for (const { name, code, ms } of await Promise.all(services.map(stop))) {
      expect({ name, code }).toEqual({ name, code: 0 });
      expect(ms).toBeLessThan(GRACE_MS + CLOSE_MS);
    }
  });
});

async function stop(service: RunningService): Promise<{ name: string; code: number | null; ms: number }> {
  const asked = performance.now();
  const { code } = await service.kill('SIGTERM');
  return { name: service.name, code, ms: performance.now() - asked };
}
