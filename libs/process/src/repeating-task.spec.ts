import { jest } from '@jest/globals';
import { createLogger } from './log.js';
import { RepeatingTask, type PassResult } from './repeating-task.js';

/** A task whose passes end when the spec says so. */
function controlled(everyMs = 1_000_000) {
  const passes: { finish: (result?: PassResult) => void; fail: (error: Error) => void }[] = [];
  const arrivals: (() => void)[] = [];
  const task = new RepeatingTask({
    name: 'spec',
    everyMs,
    log: createLogger('spec', 'silent'),
    run: () =>
      new Promise<PassResult>((resolve, reject) => {
        passes.push({ finish: resolve, fail: reject });
        arrivals.splice(0).forEach((arrived) => arrived());
      }),
  });
  const pass = async (number: number) => {
    while (passes.length < number) await new Promise<void>((resolve) => arrivals.push(resolve));
    const found = passes[number - 1];
    if (!found) throw new Error('no such pass');
    return found;
  };
  return { task, pass, count: () => passes.length };
}

/** Lets everything that is already due happen. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('RepeatingTask', () => {
  it('does nothing before start, then begins at once', async () => {
    const { task, pass, count } = controlled();
    task.ring();
    await settle();
    expect(count()).toBe(0);
    task.start();
    (await pass(1)).finish();
    await task.stop();
  });

  it('makes exactly one more pass of many rings during a pass', async () => {
    const { task, pass, count } = controlled();
    task.start();
    const first = await pass(1);
    task.ring();
    task.ring();
    task.ring();
    expect(count()).toBe(1);
    first.finish();
    (await pass(2)).finish();
    await settle();
    expect(count()).toBe(2);
    await task.stop();
  });

  it('loses no ring that comes while a pass is ending', async () => {
    const { task, pass, count } = controlled();
    task.start();
    for (let number = 1; number <= 50; number++) {
      const current = await pass(number);
      current.finish();
      // One microtask later than before in each round, across the whole end of the pass.
      for (let turns = 0; turns < number % 10; turns++) await Promise.resolve();
      task.ring();
    }
    (await pass(51)).finish();
    await settle();
    expect(count()).toBe(51);
    await task.stop();
  });

  it('goes on at once after "again", and after an error', async () => {
    const { task, pass } = controlled();
    task.start();
    (await pass(1)).finish('again');
    const second = await pass(2);
    second.fail(new Error('expected'));
    await settle();
    task.ring();
    (await pass(3)).finish();
    await task.stop();
  });

  it('comes back after everyMs without a ring', async () => {
    jest.useFakeTimers();
    try {
      let passes = 0;
      const task = new RepeatingTask({
        name: 'spec',
        everyMs: 1000,
        log: createLogger('spec', 'silent'),
        run: async () => {
          passes += 1;
          if (passes === 2) throw new Error('expected');
        },
      });
      task.start();
      await jest.advanceTimersByTimeAsync(999);
      expect(passes).toBe(1);
      await jest.advanceTimersByTimeAsync(2001);
      expect(passes).toBe(4);
      await task.stop();
      await jest.advanceTimersByTimeAsync(5000);
      expect(passes).toBe(4);
    } finally {
      jest.useRealTimers();
    }
  });

  it('stop waits for the running pass and allows no other', async () => {
    const { task, pass, count } = controlled();
    task.start();
    const first = await pass(1);
    task.ring();
    let stopped = false;
    const stop = task.stop().then(() => (stopped = true));
    await settle();
    expect(stopped).toBe(false);
    first.finish('again');
    await stop;
    task.ring();
    await settle();
    expect(count()).toBe(1);
  });

  it('tells the same error once, and again when it comes back after a pass that went well', async () => {
    const lines: string[] = [];
    const ends: ('ok' | 'away')[] = ['away', 'away', 'away', 'ok', 'away'];
    let passes = 0;
    const task = new RepeatingTask({
      name: 'spec',
      everyMs: 1_000_000,
      log: createLogger('spec', 'error', { write: (line) => void lines.push(line) }),
      run: () => (ends[passes++] === 'ok' ? Promise.resolve() : Promise.reject(new Error('the database is away'))),
    });
    task.start();
    for (let at = 1; at < ends.length; at++) {
      await settle();
      task.ring();
    }
    await settle();
    expect([passes, lines.length]).toEqual([ends.length, 2]);
    await task.stop();
  });
});
