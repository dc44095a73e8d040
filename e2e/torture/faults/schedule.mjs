/** The schedule of faults: tracks, each a shuffled deck in which every kind comes before any comes again. */
import { setTimeout as delay } from 'node:timers/promises';
import { PROCESS_FAULTS } from './process-faults.mjs';
import { SMALL_KINDS, SMALL_TRACKS, SmallFaults } from './small-faults.mjs';
import { POSTGRES_FAULTS, REDIS_FAULTS } from './store-faults.mjs';
import { Strikes } from './strikes.mjs';

/** How much longer the schedule may go on for kinds that have struck nothing live yet; ms. */
const EXTRA_MS = 60_000;
/** Faults of processes and stores that may be at work at once: a machine that starts slowly must not stand still. */
const AT_ONCE = 3;
/** Strikes of one small track that may wait for their calls: more would hit every call there is. */
const WAITING = 2;

/** Strikes until `endsAt` (epoch ms), and a little longer where a kind has hit nothing live. */
export async function runSchedule(lab, random, endsAt, say) {
  const heavy = [...PROCESS_FAULTS, ...POSTGRES_FAULTS, ...(lab.redis ? REDIS_FAULTS : [])];
  const strikes = new Strikes([...heavy.map(({ kind }) => kind), ...SMALL_KINDS]);
  const small = new SmallFaults(lab);
  const recovering = new Set();

  const heavyTrack = async () => {
    const draw = createDeck(heavy, random.fork('heavy'));
    const pace = random.fork('pace');
    while (Date.now() < endsAt) {
      await strikeOnce(draw());
      await delay(pace.int(300, 2_000));
    }
    for (const limit = endsAt + EXTRA_MS; Date.now() < limit;) {
      const left = heavy.filter(({ kind }) => strikes.live(kind) === 0);
      if (left.length === 0) return;
      for (const fault of left) await strikeOnce(fault);
    }
  };
  const strikeOnce = async (fault) => {
    while (recovering.size >= AT_ONCE) await Promise.race(recovering);
    const { on, after } = await fault.strike(lab, random.fork(`${fault.kind} ${strikes.list.length}`));
    strikes.add(fault.kind, on);
    const tracked = after
      .catch((error) => say(`${fault.kind}: ${error.message}`))
      .finally(() => recovering.delete(tracked));
    recovering.add(tracked);
  };

  const smallTrack = async ([name, kinds]) => {
    const draw = createDeck(kinds, random.fork(name));
    const pace = random.fork(`${name} pace`);
    const isMissing = (kind) => small.struck[kind] === 0;
    while (Date.now() < endsAt || (kinds.some(isMissing) && Date.now() < endsAt + EXTRA_MS)) {
      await delay(pace.int(300, 1_200));
      if ((await small.waiting(kinds)) >= WAITING) continue;
      const kind = draw();
      if (Date.now() < endsAt || isMissing(kind)) await small.arm(kind, pace);
    }
  };

  await Promise.all([heavyTrack(), ...Object.entries(SMALL_TRACKS).map(smallTrack)]);
  await Promise.all(recovering);
  await small.calm();
  for (const kind of SMALL_KINDS) strikes.addCounted(kind, small.struck[kind], onWhat(kind));
  return strikes;
}

function onWhat(kind) {
  if (kind.startsWith('model')) return 'turn';
  return /webhook/.test(kind) ? 'webhook' : 'post';
}

function createDeck(cards, random) {
  let deck = [];
  return () => {
    if (deck.length === 0) deck = random.shuffle(cards);
    return deck.pop();
  };
}
