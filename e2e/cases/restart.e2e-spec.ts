/** B01: what was acknowledged inside the window is answered after any restart. */
import { eventually } from '#testing';
import { checkInvariants } from '../harness/check-invariants.js';
import type { Person } from '../harness/person.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

type Name = 'ingest' | 'batcher' | 'responder';

/** Two messages whose window is still open. */
async function writes(person: Person): Promise<void> {
  for (const text of ['hi', 'open on Saturday?']) expect((await person.says(text)).delivered).toBe(200);
}

async function isAnsweredOnce(person: Person): Promise<void> {
  await person.hears(1, 30_000);
  expect(person.turns()).toEqual([['hi', 'open on Saturday?']]);
  expect(await person.received()).toHaveLength(1);
}

describe.each(BACKENDS)('restarts inside the window, wake-ups over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ backend, services: { console: 0 }, databaseWire: true });
  }, 120_000);
  afterAll(() => world?.close());

  /** Kills the services, and starts them where they were. */
  async function restart(names: Name[]): Promise<void> {
    const ended = world.running.filter((service) => names.includes(service.name as Name));
    await Promise.all(ended.map((service) => service.kill('SIGKILL')));
    for (const service of ended) world.running.splice(world.running.indexOf(service), 1);
    // Ingest keeps its port: the channel knows no other address.
    await Promise.all(
      ended.map(({ name, url }) => world.start(name, { [`${name.toUpperCase()}_PORT`]: new URL(url).port })),
    );
  }

  async function openBatch(person: Person): Promise<{ due: boolean; messages: number } | undefined> {
    const rows = await world.query<{ due: boolean; messages: number }>(
      `SELECT b.due_at < oneturn_now() AS due, (SELECT count(*)::int FROM event e WHERE e.batch_id = b.id) AS messages
        FROM batch b JOIN contact_alias a USING (conversation_id) WHERE a.value = $1 AND b.state = 'collecting'`,
      [person.phone],
    );
    return rows[0];
  }

  it('answers after a kill of all three at once', async () => {
    const person = world.person();
    await writes(person);
    await restart(['ingest', 'batcher', 'responder']);
    await isAnsweredOnce(person);
  });

  it.each<Name>(['ingest', 'batcher', 'responder'])('answers after a kill of %s alone', async (name) => {
    const person = world.person();
    await writes(person);
    await restart([name]);
    await isAnsweredOnce(person);
  });

  it('answers after Postgres ended every connection and was away for longer than the window', async () => {
    const person = world.person();
    await writes(person);
    await eventually(async () => (await openBatch(person))?.messages === 2);
    world.wire?.cut();
    await world.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await eventually(async () => (await openBatch(person))?.due);
    expect(person.turns()).toEqual([]);
    world.wire?.restore();
    await isAnsweredOnce(person);
  });

  if (backend === 'redis') {
    it('answers after a restart of Redis, which keeps nothing', async () => {
      const person = world.person();
      await writes(person);
      await world.redis?.restart();
      await isAnsweredOnce(person);
    });
  }

  it('keeps the invariants', () => checkInvariants(world, { waits: false }));
});
