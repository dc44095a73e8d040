/** The schedule of faults: two tracks, each a shuffled deck in which every kind comes before any comes again. */
import { setTimeout as delay } from 'node:timers/promises';
import { PROCESS_FAULTS } from './process-faults.mjs';
import { SMALL_KINDS, SmallFaults } from './small-faults.mjs';
import { POSTGRES_FAULTS, REDIS_FAULTS } from './store-faults.mjs';
import { Strikes } from './strikes.mjs';

/** How much longer the schedule may go on for kinds that have struck nothing live yet; ms. */
const EXTRA_MS = 60_000;
/** Faults of processes and stores that may be at work at once: a machine that starts slowly must not stand still. */
const AT_ONCE = 3;

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

  const smallTrack = async () => {
    const draw = createDeck(SMALL_KINDS, random.fork('small'));
    const pace = random.fork('small pace');
    while (Date.now() < endsAt) {
      await small.arm(draw(), pace);
      await delay(pace.int(200, 900));
    }
    for (const limit = endsAt + EXTRA_MS; Date.now() < limit; await delay(1_000)) {
      const counts = await small.counts();
      const left = SMALL_KINDS.filter((kind) => counts[kind] === 0);
      if (left.length === 0) return;
      for (const kind of left) await small.arm(kind, pace);
    }
  };

  await Promise.all([heavyTrack(), smallTrack()]);
  await Promise.all(recovering);
  for (const [kind, times] of Object.entries(await small.counts())) strikes.addCounted(kind, times, onWhat(kind));
  await small.calm();
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
