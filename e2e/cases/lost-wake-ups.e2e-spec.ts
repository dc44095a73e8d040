/** B13: wake-ups that vanish cost time, at most a sweep, and nothing else. */
import { Redis } from 'ioredis';
import { eventually } from '#testing';
import { checkInvariants, TICK_MS } from '../harness/check-invariants.js';
import type { Person } from '../harness/person.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

describe.each(BACKENDS)('wake-ups are lost, over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ backend, services: { console: 0 } });
  }, 120_000);
  afterAll(() => world?.close());

  async function writes(person: Person): Promise<void> {
    for (const text of ['hi', 'anything on Saturday?']) expect((await person.says(text)).delivered).toBe(200);
    // Its delayed job is there to be lost.
    await eventually(async () => (await delayOf(person)) !== undefined);
  }

  /** Of the one batch: how long after it was due its turn began, ms; null: not yet; undefined: no batch yet. */
  async function delayOf(person: Person): Promise<number | null | undefined> {
    const rows = await world.query<{ ms: number | null }>(
      `SELECT (SELECT epoch_ms(min(t.started_at)) FROM turn t WHERE t.batch_id = b.id) - epoch_ms(b.due_at) AS ms
        FROM batch b JOIN contact_alias a USING (conversation_id) WHERE a.value = $1`,
      [person.phone],
    );
    return rows.length === 0 ? undefined : (rows[0]?.ms ?? null);
  }

  async function isAnsweredInTime(person: Person): Promise<void> {
    await person.hears(1);
    expect(person.turns()).toEqual([['hi', 'anything on Saturday?']]);
    expect(await delayOf(person)).toBeLessThan(TICK_MS);
  }

  if (backend === 'postgres') {
    it('by emptying the tables of the queue', async () => {
      const person = world.person();
      await writes(person);
      const tables = await world.query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq' AND tablename LIKE '%job%'`,
      );
      expect(tables).not.toEqual([]);
      await world.query(`TRUNCATE ${tables.map((table) => table.name).join(', ')} CASCADE`);
      await isAnsweredInTime(person);
    });
  }

  if (backend === 'redis') {
    async function command(...words: [string, ...string[]]): Promise<void> {
      const redis = new Redis(world.redis?.url ?? '');
      await redis.call(...words);
      redis.disconnect();
    }

    it('a: by a flush', async () => {
      const person = world.person();
      await writes(person);
      await command('FLUSHALL');
      await isAnsweredInTime(person);
    });

    it('b: by a Redis that is away until the turn was due, and ingest answers all the time', async () => {
      const person = world.person();
      await writes(person);
      await world.redis?.kill();
      const meanwhile = world.person();
      await writes(meanwhile);
      await isAnsweredInTime(person);
      await isAnsweredInTime(meanwhile);
      await world.redis?.restart();
    });

    it('d: by a restart that has lost everything', async () => {
      const person = world.person();
      await writes(person);
      await world.redis?.restart();
      await isAnsweredInTime(person);
    });

    it('c: a policy that evicts jobs is warned of at the start', async () => {
      await command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
      const batcher = await world.start('batcher');
      await eventually(() => batcher.output().includes('Redis may evict jobs'));
    });
  }

  it('keeps the invariants', () => checkInvariants(world), 60_000);
});
