/** P3: a part known to be accepted is never sent again; under `review`, neither is one of unknown fate. */
import { groupBy, violation } from './facts.mjs';

/** Errors that say: not now, and not accepted. Meta, error codes. */
const REFUSED_FOR_NOW = new Set([4, 80007, 130429, 131056, 131016, 133004, 131057]);
/** Until a status that ingest has acknowledged is routed, generously; ms. */
const ROUTED_MS = 3_000;

export function noCopies(facts) {
  const unnamed = facts.sends
    .filter((send) => send.part === null)
    .map((send) => violation('a send without a tracker', send));
  const again = [...groupBy(facts.sends, (send) => send.part)].flatMap(([part, sends]) =>
    sends.slice(1).flatMap((later, i) => wronglyAgain(facts, facts.parts.get(part), sends.slice(0, i + 1), later)),
  );
  return [...unnamed, ...again];
}

/** Copies that the policy `resend` allowed: counted apart. */
export function allowedCopies(facts) {
  return [
    ...groupBy(
      facts.sends.filter((send) => send.accepted),
      (send) => send.part,
    ),
  ].filter(([part, sends]) => sends.length > 1 && facts.parts.get(part)?.unknownSend === 'resend').length;
}

function wronglyAgain(facts, part, earlier, later) {
  if (part === undefined) return [violation('a send of a part that is in no table', later)];
  const known = earlier.find((send) => send.accepted && knownAccepted(facts, send, later));
  if (known) return [violation('sent again although known to be accepted', part, known, later)];
  if (part.unknownSend === 'resend') return [];
  const unknown = earlier.find((send) => !surelyRefused(send, facts.times));
  return unknown ? [violation('sent again although its fate was unknown', part, unknown, later)] : [];
}

/** The sender had the answer, or a status that names it was acknowledged well before the part was taken up again. */
function knownAccepted(facts, send, later) {
  if (facts.parts.get(send.part).unknownSend !== 'resend') return true;
  const takenUpAt =
    later.attempt === facts.parts.get(send.part).attempts ? facts.parts.get(send.part).sendingAt : later.at;
  return facts.acknowledged.some(
    ({ at, holds }) =>
      at + ROUTED_MS < takenUpAt &&
      holds.some((held) => held.startsWith(`status ${send.wamid} `) && !held.endsWith('failed')),
  );
}

function surelyRefused(send, times) {
  return !send.accepted && REFUSED_FOR_NOW.has(send.error) && send.answeredAt - send.at < times.sendTimeout;
}
