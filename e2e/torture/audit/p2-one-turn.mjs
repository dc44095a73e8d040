/** P2: at most one valid fence per conversation slot, seen from the model: who was asked while somebody else was. */
import { groupBy, SKEW_MS, violation, wasStruck } from './facts.mjs';

/** Turns that somebody else ended at once, and whose holder learns of it at its next step. */
const ENDED_BY_OTHERS = new Set(['taken-over', 'interrupted']);

export function oneTurnAtATime(facts) {
  return [
    ...overlappingTurns(facts),
    ...beyondItsSlots(facts),
    ...lapsedTooEarly(facts),
    ...askedAtOnce(facts).counted,
    ...twoReplies(facts),
  ];
}

/** Calls of the model that a lapsed turn still had open when the next one asked: listed, not counted. */
export const zombieCalls = (facts) => askedAtOnce(facts).listed;

function overlappingTurns(facts) {
  const groups = groupBy(facts.tables.turns, slotOf);
  return [...groups.values()].flatMap((turns) =>
    turns.slice(1).flatMap((turn, i) => {
      const before = turns[i];
      return (before.endedAt ?? Infinity) > turn.startedAt
        ? [violation('two turns of one conversation at once', before, turn)]
        : [];
    }),
  );
}

/** The lock is empty where all threads of the conversation share it. */
const slotOf = (turn) => `${turn.conversation} ${turn.lock} ${turn.slot}`;

function beyondItsSlots(facts) {
  return facts.tables.turns
    .filter(({ slot, slots }) => slot >= slots)
    .map((turn) => violation('a turn in a slot that there is not', turn));
}

/** A lease was taken over before its time, although nobody had given it back. */
function lapsedTooEarly(facts) {
  return facts.tables.turns.flatMap((turn) => {
    const length = turn.endedAt - turn.startedAt;
    if (turn.outcome !== 'lapsed' || length >= facts.times.lease) return [];
    const stopped = facts.outages.some(
      ({ member, why, from }) =>
        why === 'stopped' &&
        member.startsWith('responder') &&
        from <= turn.endedAt &&
        from >= turn.startedAt - facts.times.grace - SKEW_MS,
    );
    return stopped ? [] : [violation('a lease was taken before its time', { ...turn, length })];
  });
}

/**
 * Two requests of one slot open at once. The later one is right only when the earlier one's turn had lost its
 * lease: then its process was struck, or its turn had run out of time.
 */
function askedAtOnce(facts) {
  const counted = [];
  const listed = [];
  for (const asked of groupBy(facts.asked, (one) => one.conversation).values()) {
    asked.sort((a, b) => a.at - b.at);
    for (const [i, later] of asked.entries()) {
      for (const earlier of asked.slice(0, i)) {
        if ((earlier.endedAt ?? Infinity) <= later.at + SKEW_MS || earlier.turn === null || later.turn === null)
          continue;
        if (slotOf(earlier.turn) !== slotOf(later.turn)) continue;
        const lost =
          earlier.turn !== later.turn && earlier.turn.endedAt !== null && earlier.turn.endedAt <= later.at + SKEW_MS;
        const excused =
          lost &&
          (ENDED_BY_OTHERS.has(earlier.turn.outcome) ||
            wasStruck(facts, earlier.boot, earlier.turn.startedAt, later.at));
        (excused ? listed : counted).push(violation('the model was asked twice at once', earlier, later));
      }
    }
  }
  return { counted, listed };
}

/** The customer must never get two wordings of one answer: each reply's parts come from one question. */
function twoReplies(facts) {
  const wordings = groupBy(
    facts.sends.filter((send) => send.accepted && /wording/.test(send.text ?? '')),
    (send) => facts.parts.get(send.part)?.batch ?? null,
  );
  return [...wordings].flatMap(([batch, sends]) => {
    const different = new Set(sends.map((send) => /for .*$/.exec(send.text)?.[0]));
    return batch !== null && different.size > 1 ? [violation('two replies to one batch', batch, sends)] : [];
  });
}
