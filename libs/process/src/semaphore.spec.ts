import { Semaphore } from './semaphore.js';

describe('Semaphore', () => {
  it('never gives more slots than it has', () => {
    const slots = new Semaphore(2);
    expect([slots.tryTake(), slots.tryTake(), slots.tryTake()]).toEqual([true, true, false]);
    slots.release();
    expect(slots.free).toBe(1);
    expect(slots.tryTake(2)).toBe(false);
    expect(slots.free).toBe(1);
  });

  it('tells when all are free again', async () => {
    const slots = new Semaphore(2);
    await slots.idle();
    slots.tryTake(2);
    let idle = false;
    const waiting = slots.idle().then(() => (idle = true));
    slots.release();
    await Promise.resolve();
    expect(idle).toBe(false);
    slots.release();
    await waiting;
  });

  it('refuses a second release, and a size below 1', () => {
    expect(() => new Semaphore(1).release()).toThrow(/released twice/);
    expect(() => new Semaphore(0)).toThrow(RangeError);
  });
});
