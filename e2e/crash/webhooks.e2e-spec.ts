/** kill -9 aimed at ingest and batcher: around the commit of a webhook, in its routing, and inside a window. */
import { jest } from '@jest/globals';
import { eventually } from '#testing';
import { blockWrites } from '../harness/blocked-statement.js';
import { checkInvariants } from '../harness/check-invariants.js';
import { CRASH_ENV } from '../harness/crash-env.js';
import { crash } from '../harness/crash.js';
import { closeBooks } from '../harness/ledger.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

/** Several restarts on two busy cores. */
const PATIENCE_MS = 45_000;
/** The sweep, and what two busy cores may add to it, ms. */
const MARGIN_MS = 2000;

jest.setTimeout(90_000);

describe.each(BACKENDS)('ingest and batcher die, wake-ups over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    const env = { ...CRASH_ENV, WINDOW_MS: '1500', MAX_WAIT_MS: '6000' };
    world = await startWorld({ backend, env, services: { console: 0 } });
    // No statuses: the only webhook under way shall be the one that is cut.
    const statuses = { sentMs: null, deliveredMs: null, readMs: null };
    await world.simulator.control('settings', { statuses, retry: { baseMs: 100, maxDelayMs: 400 } });
  }, 150_000);
  afterAll(() => world?.close());

  /** The newest process of this name: the ones before it were killed. */
  const running = (name: 'ingest' | 'batcher') => {
    const service = world.running.findLast((one) => one.name === name);
    if (!service) throw new Error(`no ${name} is running`);
    return service;
  };
  const stored = (text: string) =>
    world.query<{ outcome: string | null }>(`SELECT outcome FROM event WHERE parsed #>> '{speech,text}' = $1`, [text]);

  it('before the commit of a webhook: the channel got no 200 and sends it again', async () => {
    const person = world.person();
    const writes = await blockWrites(world, 'event');
    const said = person.says('before the commit');
    await writes.reached('ingest');
    const startAgain = await crash(world, running('ingest'));
    await writes.cancelWaiting();
    await writes.release();
    expect((await said).delivered).toBeNull();
    expect(await stored('before the commit')).toEqual([]);

    await startAgain();
    expect((await person.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['You said: before the commit']);
  });

  it('after the commit, before the 200: the repeated webhook is recognised', async () => {
    const person = world.person();
    const writes = await blockWrites(world, 'event');
    const said = person.says('before the 200');
    await writes.reached('ingest');
    const startAgain = await crash(world, running('ingest'));
    // The statement is Postgres' own business by now: it commits, and nobody is left to answer the channel.
    await writes.release();
    expect((await said).delivered).toBeNull();
    await eventually(async () => (await stored('before the 200')).length === 1);

    const ingest = await startAgain();
    await eventually(() => ingest.output().includes('message-duplicate'));
    expect((await person.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['You said: before the 200']);
    expect(await stored('before the 200')).toEqual([{ outcome: 'in_batch' }]);
  });

  it('a batcher in the middle of its routing: the next one routes it, once', async () => {
    const person = world.person();
    const writes = await blockWrites(world, 'batch');
    expect((await person.says('while routing')).delivered).toBe(200);
    await writes.reached('batcher');
    const startAgain = await crash(world, running('batcher'));
    await writes.release();
    await startAgain();
    expect((await person.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['You said: while routing']);
  });

  it('a batcher inside the window: the turn starts when the batch is due, without any batcher', async () => {
    const person = world.person();
    for (const text of ['inside', 'the window']) await person.says(text);
    const [batch] = await eventually(async () => {
      const found = await world.query<{ id: string }>(
        `SELECT b.id::text FROM event e JOIN batch b ON b.id = e.batch_id WHERE e.parsed #>> '{speech,text}' = 'the window' AND b.state = 'collecting'`,
      );
      return found.length === 1 && found;
    });
    const startAgain = await crash(world, running('batcher'));
    expect((await person.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['You said: inside / the window']);
    const [turn] = await world.query<{ late: number }>(
      `SELECT epoch_ms(t.started_at) - epoch_ms(b.due_at) AS late FROM turn t JOIN batch b ON b.id = t.batch_id WHERE b.id = $1`,
      [batch?.id],
    );
    expect(turn?.late).toBeGreaterThanOrEqual(0);
    expect(turn?.late).toBeLessThan(Number(world.env['SWEEP_MS']) + MARGIN_MS);
    await startAgain();
  });

  it('and the books are right afterwards', async () => {
    const { ledger, unaccounted } = await closeBooks(world);
    expect(unaccounted).toEqual([]);
    expect(ledger).toMatchObject({ batches: { replied: 4 }, parts: { accepted: 4 }, waiting: { person: 0 } });
    expect(ledger.events).toMatchObject({ in_batch: 5, review: 0 });
    await checkInvariants(world, { waits: false });
  });
});
