/** P10: a frozen or partitioned worker can do no harm from its next check on. */
import { groupBy, SKEW_MS, violation } from './facts.mjs';

const ENDS = new Set(['replied', 'silent', 'review']);

export function harmlessZombies(facts) {
  return [...staleFinishes(facts), ...goesOn(facts), ...staleSteps(facts)];
}

/** The turn that ended a batch must have been its last one. */
function staleFinishes(facts) {
  return [...groupBy(facts.tables.turns, (turn) => turn.batch)].flatMap(([batch, turns]) => {
    const last = Math.max(...turns.map((turn) => turn.fence));
    const stale = turns.filter((turn) => ENDS.has(turn.outcome) && turn.fence < last);
    return stale.length > 0 ? [violation('a turn finished under a stale fence', batch, turns)] : [];
  });
}

/** After its turn was lost it may still ask once, before its next check; asking on would be work without a lease. */
function goesOn(facts) {
  const late = facts.asked.filter(
    ({ turn, at }) => turn !== null && turn.endedAt !== null && at > turn.endedAt + SKEW_MS && turn.outcome !== null,
  );
  return [...groupBy(late, ({ turn }) => `batch ${turn.batch} fence ${turn.fence}`)].flatMap(([what, asked]) =>
    asked.length > 1 ? [violation('a lost turn went on asking the model', what, asked)] : [],
  );
}

/** A step names the fence that wrote it: its turn must still have been running then. */
function staleSteps(facts) {
  const turns = new Map(facts.tables.turns.map((turn) => [`${turn.batch} ${turn.fence}`, turn]));
  return facts.tables.steps.flatMap((step) => {
    const turn = turns.get(`${step.batch} ${step.fence}`);
    if (turn && (turn.endedAt === null || step.startedAt <= turn.endedAt)) return [];
    return [violation('a step was journaled under a stale fence', step, turn)];
  });
}

/** Sends that reached the channel after their lease: frozen between the last look and the bytes. Listed, not counted. */
export function lateBytes(facts) {
  return facts.sends.filter((send) => {
    const part = facts.parts.get(send.part);
    return (
      part !== undefined && send.attempt === part.attempts && send.at > part.sendingAt + facts.times.sendBy + SKEW_MS
    );
  });
}
