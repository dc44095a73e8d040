/**
 * What must hold in any life, said without the domain's functions: a rule that called the decision which it judges
 * would agree with all its mistakes. Each rule returns what is broken, in words.
 */
import type { Policy } from '../src/policy.js';
import type { Chat, End, Life, Said, Script, Turn, Watch } from './life-words.js';

export type Rule = (life: Life, script: Script) => string[];

export const everyMessageEndsOnce: Rule = ({ ends, stranded }, { arrivals }) => [
  ...arrivals.flatMap(({ position }) => {
    const count = ends.filter((end) => end.said.position === position).length;
    return count === 1 || stranded.includes(position) ? [] : [`message ${position} has ${count} ends`];
  }),
  ...(ends.length > arrivals.length ? [`${ends.length} ends of ${arrivals.length} messages`] : []),
];

export const nothingStrands: Rule = ({ stranded }) => stranded.map((position) => `message ${position} never ended`);

export const oneBatchPerMessage: Rule = ({ turns, ends }, { arrivals }) =>
  arrivals.flatMap(({ position }) => {
    const inTurns = turns.filter((turn) => turn.messages.some((said) => said.position === position));
    const batches = new Set(inTurns.map((turn) => turn.batch));
    const reviewedAlone = ends.some((end) => end.said.position === position && end.batch === null);
    const places = batches.size + (reviewedAlone ? 1 : 0);
    return places > 1 ? [`message ${position} stands in ${places} places`] : [];
  });

export const oneTurnAtATime: Rule = ({ turns }) =>
  pairs(turns).flatMap(([a, b]) =>
    a.person === b.person && b.claimedAt < a.validUntil ? [`person ${a.person} has two turns at ${b.claimedAt}`] : [],
  );

export const slotsAreKept: Rule = ({ turns }, { slots }) =>
  turns.flatMap(({ claimedAt }) => {
    const working = turns.filter((turn) => turn.claimedAt <= claimedAt && turn.stopsAt > claimedAt).length;
    return working > slots ? [`${working} turns at ${claimedAt}`] : [];
  });

export const repliesWaitForEarlierParts: Rule = ({ turns }) =>
  pairs(turns).flatMap(([a, b]) =>
    a.person === b.person && a.end === 'replies' && b.claimedAt < a.settledAt
      ? [`batch ${b.batch} claimed before the parts of batch ${a.batch} were settled`]
      : [],
  );

export const messagesInOrder: Rule = ({ turns }) =>
  turns.flatMap(({ batch, messages }) =>
    pairs(messages, 1).flatMap(([a, b]) =>
      inOrder(orderOf(a), orderOf(b)) ? [] : [`batch ${batch}: ${a.position} before ${b.position}`],
    ),
  );

/** Later answers of the same batch resume a journal that was written for exactly these messages. */
export const retriesKeepTheirMessages: Rule = ({ turns }) =>
  turns.flatMap((turn) => {
    const first = turns.find((other) => other.batch === turn.batch) as Turn;
    const same = positions(first.messages).join() === positions(turn.messages).join();
    return same ? [] : [`attempt ${turn.attempt} of batch ${turn.batch} has other messages`];
  });

export const attemptsAreBounded: Rule = ({ turns }, { policy }) =>
  turns.flatMap((turn) => {
    const of = `attempt ${turn.attempt} of batch ${turn.batch}`;
    if (turn.attempt > policy.maxAttempts) return [`${of} of ${policy.maxAttempts}`];
    const before = turns.find((other) => other.batch === turn.batch && other.attempt === turn.attempt - 1);
    if (before?.end !== 'fails') return [];
    const pause = policy.retryBaseMs * 2 ** (before.attempt - 1);
    return turn.claimedAt < before.stopsAt + pause ? [`${of} came before its pause`] : [];
  });

/** A person is asked only after all attempts. */
export const failuresUseAllAttempts: Rule = ({ turns, ends }, { policy }) =>
  ends.flatMap(({ how, batch }) => {
    const attempts = turns.filter((turn) => turn.batch === batch).length;
    return how === 'turn-failed' && attempts !== policy.maxAttempts ? [`batch ${batch} failed after ${attempts}`] : [];
  });

export const turnsAreNotEarly: Rule = ({ turns }, { policy }) =>
  turns.flatMap(({ attempt, batch, claimedAt, messages, late, person }) => {
    if (attempt > 1) return [];
    return claimedAt < dueAt([...messages, ...late], policy)
      ? [`person ${person}: batch ${batch} claimed at ${claimedAt}`]
      : [];
  });

export const lateMeansLate: Rule = ({ turns, ends }, { policy }) => {
  const late = (said: Said, at: number): boolean => at - saidAt(said) > policy.lateAfterMs;
  return [
    ...turns
      .filter((turn) => turn.attempt === 1)
      .flatMap((turn) => turn.messages.filter((said) => late(said, turn.claimedAt)))
      .map((said) => `late message ${said.position} was answered`),
    ...ends
      .filter((end: End) => end.how === 'late' && !late(end.said, end.at))
      .map((end) => `message ${end.said.position} was not late at ${end.at}`),
  ];
};

/** Right after a sweep: while a slot is free, no free conversation waits past its window or its cap. */
export function noWaitBeyondTheCap(policy: Policy, broken: string[]): Watch {
  return ({ now, freeSlots, chats }) => {
    if (freeSlots === 0) return;
    for (const chat of chats) {
      const due = nextStep(chat, policy);
      // What this very sweep set free is the next one's.
      const free = chat.settledAt <= now && chat.freeAt < now;
      if (free && due <= now) broken.push(`at ${now} something is overdue since ${due}`);
    }
  };
}

function nextStep({ sealed, collecting }: Chat, policy: Policy): number {
  if (sealed?.state === 'retry_wait') return sealed.nextAttemptAt;
  if (sealed) return sealed.leaseUntil;
  return collecting ? dueAt(collecting.messages, policy) : Infinity;
}

function dueAt(messages: Said[], policy: Policy): number {
  const arrivals = messages.map((said) => said.arrivedAt);
  return Math.min(Math.max(...arrivals) + policy.windowMs, Math.min(...arrivals) + policy.maxWaitMs);
}

const saidAt = (said: Said): number => Math.min(said.providerAt ?? Infinity, said.arrivedAt);
const orderOf = (said: Said): number[] => [saidAt(said), said.arrivedAt, said.position];
const positions = (messages: Said[]): number[] => messages.map((said) => said.position);

function inOrder(a: number[], b: number[]): boolean {
  const differs = a.findIndex((value, index) => value !== b[index]);
  return differs < 0 || (a[differs] as number) < (b[differs] as number);
}

/** Every pair of items in their order, or only those `distance` apart. */
function pairs<T>(items: T[], distance = items.length): [T, T][] {
  return items.flatMap((a, at) => items.slice(at + 1, at + 1 + distance).map((b): [T, T] => [a, b]));
}
