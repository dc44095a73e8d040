/** P5: within a batch, messages reach the assistant in provider time, then in order of arrival, and all of them. */
import { violation } from './facts.mjs';

export function inOrder(facts) {
  return facts.asked.flatMap((asked) => {
    const shown = asked.tokens.map((token) => facts.eventOfToken(token));
    const batch = shown.at(-1)?.batch;
    // A takeover in between has given the messages to another batch since.
    if (asked.turn === null || batch !== asked.turn.batch) return [];
    const own = shown.filter((event) => event?.batch === batch && event.outcome === 'in_batch');
    const all = (facts.messagesOf.get(batch) ?? []).filter((event) => event.outcome === 'in_batch');
    const missing = all.filter((event) => !own.includes(event));
    return [
      ...(missing.length > 0 ? [violation('a message of the batch was not shown', asked, missing)] : []),
      ...own
        .slice(1)
        .flatMap((event, i) =>
          comesBefore(facts, event, own[i]) ? [violation('out of order', asked, own[i], event)] : [],
        ),
    ];
  });
}

function comesBefore(facts, a, b) {
  return (
    (saidAt(facts, a) - saidAt(facts, b) ||
      a.arrivedAt - b.arrivedAt ||
      (a.process === b.process ? a.group - b.group || a.index - b.index : 0)) < 0
  );
}

/** What the webhook said, from the writer's own notes; a clock that runs ahead counts as now. */
function saidAt(facts, event) {
  const said = facts.saidById.get(event.externalId);
  return Math.min(said?.at ?? event.arrivedAt, event.arrivedAt);
}
