/** Random numbers that a seed repeats: a failure can be run again with the same draws. */
export interface Random {
  seed: number;
  /** From 0 (included) to 1 (excluded). */
  fraction(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
}

/** `seed`: any whole number; without one, E2E_SEED of the caller or the time. */
export function seededRandom(seed = Number(process.env['E2E_SEED'] ?? Date.now() % 1_000_000)): Random {
  let state = seed >>> 0;
  // mulberry32
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    seed,
    fraction,
    below,
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new Error('nothing to pick from');
      return items[below(items.length)] as T;
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: fraction() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
  };
}
