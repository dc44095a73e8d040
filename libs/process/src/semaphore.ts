/** Slots for work that may run at the same time. Nobody queues here: who finds no slot leaves the work in the table. */
export class Semaphore {
  private taken = 0;
  private waiting: (() => void)[] = [];

  /** @param size slots in total, at least 1. */
  constructor(readonly size: number) {
    if (!Number.isInteger(size) || size < 1) throw new RangeError(`a semaphore needs at least 1 slot, not ${size}`);
  }

  get free(): number {
    return this.size - this.taken;
  }

  /** Takes `count` slots, or none of them. */
  tryTake(count = 1): boolean {
    if (count > this.free) return false;
    this.taken += count;
    return true;
  }

  /** @throws Error when more is given back than was taken: somebody released twice. */
  release(count = 1): void {
    if (count > this.taken) throw new Error('a slot was released twice');
    this.taken -= count;
    if (this.taken > 0) return;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Resolves when every slot is free. */
  idle(): Promise<void> {
    if (this.taken === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
