/** P7: a takeover silences the assistant, from the last check before the bytes. */
import { SKEW_MS, violation } from './facts.mjs';

export function silentAfterTakeover(facts) {
  return facts.takeovers.flatMap((takeover) => [...sendsIn(facts, takeover), ...turnsIn(facts, takeover)]);
}

const during = (takeover, at) => at > takeover.acknowledgedAt && at < takeover.endsAt;

function sendsIn(facts, takeover) {
  return facts.sends.flatMap((send) => {
    const part = facts.parts.get(send.part);
    if (part?.conversation !== takeover.conversation || part.author !== 'assistant' || !during(takeover, send.at))
      return [];
    // Its last check may have been just before the takeover; then its bytes leave within the sender's own limit.
    const checkedBefore = send.attempt < part.attempts || part.sendingAt <= takeover.acknowledgedAt;
    const inTime = send.at <= takeover.acknowledgedAt + facts.times.sendBy + SKEW_MS;
    return checkedBefore && inTime ? [] : [violation('the assistant wrote during a takeover', takeover, part, send)];
  });
}

function turnsIn(facts, takeover) {
  return (facts.turnsOf.get(takeover.conversation) ?? [])
    .filter((turn) => during(takeover, turn.startedAt))
    .map((turn) => violation('a turn began during a takeover', takeover, turn));
}
