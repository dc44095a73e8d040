/** At most `most` pieces of work at once, first come first served: what TURN_CONCURRENCY is for oneturn. */
export function limitTo(most) {
  const waiting = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The slot is handed on, so that nobody slips in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
