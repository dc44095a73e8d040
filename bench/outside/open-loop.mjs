/**
 * Posts at fixed times, whether or not earlier posts were answered. A latency counts from the time at which the post
 * was to happen, not from when the generator came to it: a stall of either side is in the latency of everything that
 * should have happened during it (coordinated omission).
 * @param {Float64Array} times ms from the start, rising.
 * @param {(number: number) => {webhook: object, kind: string}} make what to post as each one; asked when it is time.
 * @param {(webhook: object) => Promise<number | null>} post
 * @returns {Promise<{kind: string, at: number, ms: number, status: number | null}[]>} in the order of `times`.
 */
export async function openLoop(times, make, post, clock = performance) {
  const started = clock.now();
  const posts = [];
  const fire = async (number) => {
    const { webhook, kind } = make(number);
    const status = await post(webhook);
    return { kind, at: times[number], ms: clock.now() - started - times[number], status };
  };
  await new Promise((resolve) => {
    const tick = () => {
      const now = clock.now() - started;
      while (posts.length < times.length && times[posts.length] <= now) posts.push(fire(posts.length));
      if (posts.length === times.length) return resolve();
      setTimeout(tick, 1);
    };
    tick();
  });
  return Promise.all(posts);
}

/**
 * The times of a rate that changes.
 * @param {{seconds: number, rate: number}[]} stretches one after the other; `rate` per second.
 */
export function timesOf(stretches) {
  const times = [];
  let from = 0;
  for (const { seconds, rate } of stretches) {
    const count = Math.round(seconds * rate);
    for (let number = 0; number < count; number += 1) times.push(from + (number * 1000) / rate);
    from += seconds * 1000;
  }
  return Float64Array.from(times);
}
