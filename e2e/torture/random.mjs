/** Random numbers that a seed repeats. Each use draws from a stream of its own, so that the streams' timing does not mix. */

/** @typedef {ReturnType<typeof createRandom>} Random */

/** @param {number} seed any whole number. */
export function createRandom(seed) {
  // mulberry32: 32 bits of state are plenty for a schedule.
  let state = seed >>> 0;
  const float = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from, to) => from + Math.floor(float() * (to - from + 1));
  return {
    float,
    /** A whole number, both ends included. */
    int,
    chance: (probability) => float() < probability,
    /** @template T @param {readonly T[]} list @returns {T} */
    pick: (list) => list[int(0, list.length - 1)],
    /** @template T @param {readonly T[]} list @returns {T[]} */
    shuffle: (list) => {
      const copy = [...list];
      for (let i = copy.length - 1; i > 0; i--) {
        const j = int(0, i);
        [copy[i], copy[j]] = [copy[j], copy[i]];
      }
      return copy;
    },
    /** A stream of its own. */
    fork: (name) => createRandom(seed ^ hash(name)),
  };
}

/** FNV-1a. */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
