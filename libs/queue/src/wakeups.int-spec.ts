import { createLogger, readEnv } from '#process';
import { eventually, testDatabase, testRedis, type TestDatabase } from '#testing';
import type { QueueBackend } from './backend.js';
import { chooseBackend } from './choose-backend.js';
import { Consumers } from './consumers.js';
import type { QueueHandlers, QueueName, WindowJob } from './names.js';
import { Wakeups, type WakeupOutcome } from './wakeups.js';
import { WindowJobs } from './window-jobs.js';

const log = createLogger('spec', 'silent');

describe.each(['redis', 'postgres'] as const)('on %s', (kind) => {
  let database: TestDatabase;
  let url: string | null;
  const closers: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    database = await testDatabase();
  });
  beforeEach(async () => {
    url = kind === 'redis' ? await testRedis() : database.url;
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => database.drop());

  function backend(): QueueBackend | null {
    if (url === null) return null;
    const env = readEnv(kind === 'redis' ? { REDIS_URL: url } : { DATABASE_URL: url });
    const made = chooseBackend(env, { consumes: 1, produces: 1 }, log);
    closers.push(() => made.close());
    return made;
  }

  function consume<N extends QueueName>(from: QueueBackend, name: N, handler: QueueHandlers[N]): Consumers {
    const consumers = new Consumers(from, [name], log);
    consumers.consume(name, handler);
    consumers.start();
    closers.push(() => consumers.stop());
    return consumers;
  }

  function ringer(to: QueueBackend) {
    const outcomes: WakeupOutcome[] = [];
    const wakeups = new Wakeups(to, ['turns'], log, (_name, outcome) => outcomes.push(outcome));
    closers.push(() => wakeups.close());
    return { wakeups, outcomes };
  }

  /** Rings until one is sent: the first ones find no connection yet. */
  async function ringThrough({ wakeups, outcomes }: ReturnType<typeof ringer>): Promise<void> {
    await eventually(() => {
      wakeups.wake('turns');
      return outcomes.includes('sent');
    });
  }

  it('a wake-up reaches the handler, many at once are few', async () => {
    const from = backend();
    if (!from) return;
    let rings = 0;
    consume(from, 'turns', () => void (rings += 1));
    const bell = ringer(from);
    await ringThrough(bell);
    await eventually(() => rings > 0);

    const before = bell.outcomes.length;
    for (let count = 0; count < 10_000; count++) bell.wakeups.wake('turns');
    await eventually(() => bell.outcomes.length > before);
    expect(bell.outcomes.length - before).toBeLessThanOrEqual(2);
  });

  it('a wake-up that comes while the handler runs is not lost', async () => {
    const from = backend();
    if (!from) return;
    let finish: () => void = () => undefined;
    let rings = 0;
    consume(from, 'turns', async () => {
      rings += 1;
      if (rings === 1) await new Promise<void>((resolve) => (finish = resolve));
    });
    const bell = ringer(from);
    await ringThrough(bell);
    await eventually(() => rings === 1);
    const sent = bell.outcomes.filter((outcome) => outcome === 'sent').length;
    bell.wakeups.wake('turns');
    await eventually(() => bell.outcomes.filter((outcome) => outcome === 'sent').length > sent);
    expect(rings).toBe(1);
    finish();
    await eventually(() => rings === 2);
  });

  it('a handler that throws does not stop the next wake-up', async () => {
    const from = backend();
    if (!from) return;
    let rings = 0;
    consume(from, 'turns', () => {
      rings += 1;
      throw new Error('expected');
    });
    const bell = ringer(from);
    await ringThrough(bell);
    await eventually(() => rings >= 1);
    bell.wakeups.wake('turns');
    await eventually(() => rings >= 2);
  });

  it('a window fires when due, moves when told to, and keeps one job however often it is armed', async () => {
    const from = backend();
    if (!from) return;
    const fired: { job: WindowJob; at: number }[] = [];
    consume(from, 'windows', (job) => {
      fired.push({ job, at: Date.now() });
      if (fired.length === 1) return { rearmAt: Date.now() + 300 };
      return undefined;
    });
    const windows = new WindowJobs(from, log);
    closers.push(() => windows.close());
    await eventually(() => windows.armWindow('warm-up', Date.now() + 3_600_000));

    const dueAt = Date.now() + 250;
    expect(await windows.armWindow('7', dueAt)).toBe(true);
    expect(await windows.armWindows([{ batchId: '7', dueAt: dueAt + 10 }])).toBe(true);
    await eventually(() => fired.length === 2);
    expect(fired.map(({ job }) => job)).toEqual([
      { batchId: '7', dueAt },
      { batchId: '7', dueAt },
    ]);
    expect(fired[0]?.at).toBeGreaterThanOrEqual(dueAt - 5);
    expect((fired[1]?.at ?? 0) - (fired[0]?.at ?? 0)).toBeGreaterThanOrEqual(290);

    // Finished jobs are not kept: the same batch can be armed again.
    await eventually(async () => {
      await windows.armWindow('7', Date.now());
      return fired.length >= 3;
    });
  });

  it('arms many windows at once', async () => {
    const from = backend();
    if (!from) return;
    const fired = new Set<string>();
    consume(from, 'windows', (job) => void fired.add(job.batchId));
    const windows = new WindowJobs(from, log);
    closers.push(() => windows.close());
    const many = Array.from({ length: 200 }, (_value, index) => ({ batchId: `m${index}`, dueAt: Date.now() + 50 }));
    await eventually(() => windows.armWindows(many));
    await eventually(() => fired.size === 200);
  });
});
