/** What struck, and whether it struck something live. */
export class Strikes {
  /** @type {{kind: string, at: number, live: boolean, on: string}[]} */
  list = [];

  /** @param {string[]} kinds that this run must have struck live, at least once each. */
  constructor(kinds) {
    this.kinds = kinds;
  }

  /** @param {string} on what it hit: `turn`, `post`, `group`, `routing`, `window`, `wake-up`; empty: nothing live. */
  add(kind, on) {
    this.list.push({ kind, at: Date.now(), live: on !== '', on });
  }

  /** Counts that others kept, added when the run is over. */
  addCounted(kind, times, on) {
    for (let i = 0; i < times; i++) this.list.push({ kind, at: 0, live: true, on });
  }

  live(kind) {
    return this.list.filter((strike) => strike.kind === kind && strike.live).length;
  }

  missing() {
    return this.kinds.filter((kind) => this.live(kind) === 0);
  }

  /** @returns {{kind: string, struck: number, live: number, on: Record<string, number>}[]} */
  table() {
    const kinds = [...new Set([...this.kinds, ...this.list.map((strike) => strike.kind)])];
    return kinds.map((kind) => {
      const all = this.list.filter((strike) => strike.kind === kind);
      const on = {};
      for (const strike of all.filter((one) => one.live)) on[strike.on] = (on[strike.on] ?? 0) + 1;
      return { kind, struck: all.length, live: all.filter((one) => one.live).length, on };
    });
  }
}
