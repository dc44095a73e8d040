/** P8: no free-form part leaves after the service window has closed, from the same check. */
import { SKEW_MS, violation } from './facts.mjs';

export function insideTheServiceWindow(facts) {
  return facts.sends.flatMap((send) => {
    const part = facts.parts.get(send.part);
    if (part === undefined) return [];
    const closesAt = lastSaid(facts, part, send.at) + facts.times.serviceWindow;
    // The last look is at the latest a second before the end; then the bytes leave within the sender's own limit.
    const latest = closesAt - 1_000 + facts.times.sendBy + SKEW_MS;
    return send.at > latest
      ? [violation('left after the service window had closed', { closesAt, late: send.at - closesAt }, part, send)]
      : [];
  });
}

/** Replies that were held because the window had closed: without any, nothing was tested. */
export const heldByTheWindow = (facts) => facts.tables.parts.filter((part) => part.reason === 'window-closed').length;

/** When the customer last wrote, as the webhooks say it. */
function lastSaid(facts, part, before) {
  const messages = (facts.messagesIn.get(part.conversation) ?? []).filter((event) => event.arrivedAt <= before);
  return Math.max(-Infinity, ...messages.map((event) => facts.saidById.get(event.externalId)?.at ?? event.arrivedAt));
}
