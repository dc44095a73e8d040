/** When somebody could have worked: what a wait is measured without. */

const STEP_MS = 25;
/** After a return, until connections are made again and the first look is taken; ms. */
const AFTER = { postgres: 1_500, redis: 0, other: 400 };
const TURNS_AT_ONCE = 5;
/** Two passes of the claim loops of two responders, in round trips to Postgres. */
const ROUND_TRIPS = 50;
const WITHIN_MS = 500;

/** @param {ReturnType<typeof import('./facts.mjs').factsOf>} facts */
export function availabilityOf(facts) {
  const outages = facts.outages.map((outage) => ({
    ...outage,
    to: (outage.to ?? Infinity) + (AFTER[outage.member] ?? AFTER.other),
  }));
  const covering = (at) => outages.filter(({ from, to }) => from <= at && at <= to);
  const turns = facts.tables.turns.map((turn) => ({ ...turn, member: facts.bootOf.get(turn.holder)?.split('.')[0] }));

  /** Whether a process of this service, Postgres and all locks were free to do the work. */
  const couldWork = (service, at) => {
    const now = covering(at);
    // A frozen process may hold a conversation's lock until the database ends its session.
    if (now.some(({ member, why }) => member === 'postgres' || why === 'frozen' || why === 'cut off')) return false;
    const up = [1, 2].map((n) => `${service}-${n}`).filter((member) => !now.some((outage) => outage.member === member));
    if (service !== 'responder') return up.length > 0;
    return up.some(
      (member) => turns.filter((turn) => turn.member === member && isRunning(turn, at)).length < TURNS_AT_ONCE,
    );
  };
  return {
    /** The longest time within a wait during which it had no excuse, ms. */
    inexcusable(service, from, to) {
      if (to - from <= STEP_MS) return Math.max(0, to - from);
      let longest = 0;
      let ms = 0;
      for (let at = from; at < to; at += STEP_MS) {
        ms = couldWork(service, at) ? ms + STEP_MS : 0;
        longest = Math.max(longest, ms);
      }
      return longest;
    },
    /** What the machine itself adds to a wait: round trips as slow as the slowest one of that time, ms. */
    machine(from, to) {
      let slowest = 0;
      for (let i = firstAfter(facts.pulse, from - WITHIN_MS); i < facts.pulse.length && facts.pulse[i].at <= to; i++) {
        slowest = Math.max(slowest, facts.pulse[i].ms);
      }
      return slowest * ROUND_TRIPS;
    },
    redisAway: (at) =>
      facts.outages.some(({ member, from, to }) => member === 'redis' && from <= at && at <= (to ?? Infinity)),
  };
}

const isRunning = (turn, at) => turn.startedAt <= at && at <= (turn.endedAt ?? Infinity);

/** Index of the first beat at or after `at`; they are in order. */
function firstAfter(beats, at) {
  let low = 0;
  for (let high = beats.length; low < high;) {
    const middle = (low + high) >> 1;
    if (beats[middle].at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
