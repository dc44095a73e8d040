/** B18: ingest is told to stop with 200 webhooks in flight: every 200 is stored, and nobody sends it more. */
import { eventually, type RunningService } from '#testing';
import { blockWrites, type Block } from '../harness/blocked-statement.js';
import { postWebhook, type PostedWebhook } from '../harness/webhook-posts.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

const IN_FLIGHT = 200;
const GRACE_MS = 3_000;
/** Beside the grace: closing connections is bounded by this, and two busy cores are slow, ms. */
const CLOSING_MS = 12_000;

describe.each(BACKENDS)('ingest is stopped, wake-ups over %s', (backend) => {
  let world: World;
  let ingest: RunningService;

  beforeAll(async () => {
    world = await startWorld({
      backend,
      env: { SHUTDOWN_GRACE_MS: String(GRACE_MS) },
      services: { batcher: 0, responder: 0, console: 0 },
    });
    ingest = world.only('ingest');
  }, 120_000);
  afterAll(() => world?.close());

  /** Where the channel knows it. */
  const startAgain = () => world.start('ingest', { INGEST_PORT: new URL(ingest.url).port });

  /** All of them are in the hands of ingest, and none can be stored before the block is released. */
  async function inFlight(name: string): Promise<{ writes: Block; posts: PostedWebhook[] }> {
    const writes = await blockWrites(world, 'event');
    const posts = Array.from({ length: IN_FLIGHT }, (_, n) => postWebhook(world, `wamid.${name}-${n}`));
    await Promise.all(posts.map((posted) => posted.taken));
    await writes.reached('ingest');
    return { writes, posts };
  }

  async function answersTo(posts: PostedWebhook[]): Promise<{ id: string; answer: number | null }[]> {
    return Promise.all(posts.map(async ({ id, answer }) => ({ id, answer: await answer })));
  }

  async function storedIds(): Promise<Set<string>> {
    return new Set((await world.query<{ id: string }>('SELECT external_id AS id FROM event')).map((row) => row.id));
  }

  it('stores and answers what it had taken; is not ready from the first moment; refuses what comes later', async () => {
    const { writes, posts } = await inFlight('in-time');
    const exited = ingest.kill('SIGTERM');
    await eventually(() => ingest.output().includes('"stopping"'));
    // A load balancer hears of it while the webhooks are still open: it can lead the next ones elsewhere.
    const ready = await fetch(`${ingest.url}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ status: 'draining' })]);
    const later = Array.from({ length: 20 }, (_, n) => postWebhook(world, `wamid.later-${n}`));
    await writes.release();

    const answers = await answersTo(posts);
    expect(answers.filter(({ answer }) => answer !== 200)).toEqual([]);
    expect(await exited).toEqual({ code: 0, signal: null });
    const stored = await storedIds();
    expect(answers.filter(({ id }) => !stored.has(id))).toEqual([]);
    for (const { id, answer } of await answersTo(later)) {
      expect([200, 503, null]).toContain(answer);
      if (answer === 200) expect(stored).toContain(id);
    }
  }, 90_000);

  it('ends in time also when nothing can be stored: no 200, and the channel comes again', async () => {
    ingest = await startAgain();
    const before = await storedIds();
    const { writes, posts } = await inFlight('too-late');
    const stoppedAt = Date.now();
    expect(await ingest.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(Date.now() - stoppedAt).toBeLessThan(GRACE_MS + CLOSING_MS);
    for (const { answer } of await answersTo(posts)) expect([503, null]).toContain(answer);
    await writes.cancelWaiting();
    await writes.release();
    expect(await storedIds()).toEqual(before);

    ingest = await startAgain();
    const again = posts.map(({ id }) => postWebhook(world, id));
    expect((await answersTo(again)).filter(({ answer }) => answer !== 200)).toEqual([]);
    expect((await storedIds()).size).toBe(before.size + IN_FLIGHT);
  }, 90_000);
});
