/**
 * What must hold in any life under any strategy, said without the domain's functions. Each rule returns what is
 * broken, in words.
 */
import type { Policy } from '../src/policy.js';
import type { Call, End, Lived, Said, Script } from './overlap-words.js';

export type OverlapRule = (lived: Lived, script: Script) => string[];

const ALLOWED: Record<string, readonly End['how'][]> = {
  batch: [],
  burst: ['dropped queue-full', 'expired'],
  queue: ['dropped queue-full', 'expired'],
  debounce: ['superseded', 'expired'],
  drop: ['dropped busy'],
  interrupt: [],
  concurrent: [],
};

export const oneAllowedEnd: OverlapRule = ({ ends }, { arrivals, policy }) => [
  ...arrivals.flatMap((said) => {
    const count = ends.filter((end) => end.said === said).length;
    return count === 1 ? [] : [`${said.id} has ${count} ends`];
  }),
  ...ends.flatMap(({ said, how }) =>
    ['answered', 'review', ...(ALLOWED[strategyOf(policy)] as string[])].includes(how) ? [] : [`${said.id}: ${how}`],
  ),
];

export const nothingIsStranded: OverlapRule = ({ stranded }) => stranded.map((id) => `${id} never ended`);

export const inOrderWithinTurns: OverlapRule = ({ calls }) =>
  calls.flatMap(({ batch, messages }) =>
    messages.flatMap((said, at) => {
      const before = messages[at - 1];
      return before && orderOf(before) > orderOf(said) ? [`batch ${batch}: ${before.id} before ${said.id}`] : [];
    }),
  );

/** What came later is never answered first in its thread, whatever fails; concurrent turns begin in order of arrival. */
export const inOrderAcrossTurns: OverlapRule = ({ calls }) =>
  pairs(calls.filter((call) => call.attempt === 1)).flatMap(([a, b]) => {
    if (a.chat !== b.chat || a.thread !== b.thread) return [];
    const repeated = b.messages.some((said) => a.messages.includes(said));
    const last = Math.max(...a.messages.map((said) => said.arrivedAt));
    const overtaken = b.messages.filter((said) => said.arrivedAt < last);
    return repeated || overtaken.length === 0 ? [] : [`${overtaken[0]?.id} after a turn with later ones`];
  });

export const turnsAtOnce: OverlapRule = ({ calls }, { policy }) =>
  calls.flatMap((call) => {
    const same = calls.filter((one) => one.chat === call.chat && one.lock === call.lock);
    const running = same.filter((one) => one.at <= call.at && one.until > call.at).length;
    const most = strategyOf(policy) === 'concurrent' ? (policy.maxConcurrent ?? Infinity) : 1;
    return running > most ? [`${running} turns at ${call.at}`] : [];
  });

/** Under channel scope as well: a thread's answer is about this thread alone. */
export const threadsDoNotMix: OverlapRule = ({ calls }) =>
  calls.flatMap(({ batch, thread, messages }) =>
    messages.some((said) => said.thread !== thread) ? [`batch ${batch} mixes threads`] : [],
  );

export const sizesHold: OverlapRule = ({ calls, mostWaiting }, { policy }) => {
  const strategy = strategyOf(policy);
  const most = policy.maxQueueSize ?? 10;
  if (strategy === 'burst' || strategy === 'queue') return mostWaiting > most ? [`${mostWaiting} waited`] : [];
  const alone = ['debounce', 'drop', 'concurrent'].includes(strategy);
  return alone
    ? calls.filter((call) => call.messages.length !== 1).map(({ batch }) => `batch ${batch} is no lone one`)
    : [];
};

export const expiryHolds: OverlapRule = ({ calls, ends }, { policy }) => {
  const ttl = policy.queueEntryTtlMs ?? 90_000;
  const early = ends.filter(({ how, said, at }) => how === 'expired' && at <= said.arrivedAt + ttl);
  // What `queue` dispatches at once has not waited in the queue, however long a responder takes.
  const tooOld = (call: Call): Said[] =>
    call.attempt > 1 || call.messages.length < 2 ? [] : call.messages.filter((said) => call.at > said.arrivedAt + ttl);
  const expires = ['burst', 'queue', 'debounce'].includes(strategyOf(policy));
  return [
    ...early.map(({ said }) => `${said.id} expired too early`),
    ...(expires ? calls.flatMap(tooOld).map((said) => `${said.id} was answered although expired`) : []),
  ];
};

export const restartsAreBounded: OverlapRule = ({ calls }, { policy }) =>
  calls.flatMap((call) => {
    const most = strategyOf(policy) === 'interrupt' ? (policy.maxRestarts ?? 2) : 0;
    const first = Math.min(...call.messages.map((said) => said.arrivedAt));
    return [
      ...(call.restarts > most ? [`batch ${call.batch} was restarted ${call.restarts} times`] : []),
      ...(call.end === 'interrupted' && call.until >= first + policy.maxWaitMs
        ? [`batch ${call.batch} was interrupted past its cap`]
        : []),
    ];
  });

/** What was taken back from a turn is answered by the next one of the thread, together with what came. */
export const interruptedAreAnswered: OverlapRule = ({ calls }) =>
  calls.flatMap((call) => {
    if (call.end !== 'interrupted') return [];
    const next = calls.find(
      (one) => one.batch > call.batch && call.messages.every((said) => one.messages.includes(said)),
    );
    return next && next.messages.length > call.messages.length ? [] : [`batch ${call.batch} was not taken up again`];
  });

/** Whoever answers at once does: a message to an idle lock starts its turn in the same instant. */
export const idleMeansAtOnce: OverlapRule = ({ calls }, { policy, tickMs }) =>
  strategyOf(policy) !== 'drop'
    ? []
    : calls.flatMap((call) =>
        call.attempt === 1 && call.at > (call.messages[0]?.arrivedAt ?? 0) + tickMs
          ? [`batch ${call.batch} waited although nothing ran`]
          : [],
      );

const strategyOf = (policy: Policy): string => policy.strategy ?? 'batch';

function orderOf(said: Said): number {
  const saidAt = Math.min(said.providerAt ?? Infinity, said.arrivedAt);
  return (saidAt * 100_000 + said.arrivedAt) * 100 + said.position;
}

function pairs<T>(items: T[]): [T, T][] {
  return items.flatMap((a, at) => items.slice(at + 1).map((b): [T, T] => [a, b]));
}
