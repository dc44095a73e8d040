/** P1: what was answered with 200 is stored, once, and came to one final outcome that the world outside agrees with. */
import { violation } from './facts.mjs';

const OUTCOMES = new Set(['in_batch', 'applied', 'ignored', 'superseded', 'dropped', 'human', 'review']);
const ACCEPTED = new Set(['accepted', 'sent', 'delivered', 'read']);

export function nothingLost(facts) {
  return [
    ...acknowledgedNotStored(facts),
    ...saidNotStored(facts),
    ...storedTwice(facts),
    ...withoutAnEnd(facts),
    ...batchesWithoutAnEnd(facts),
    ...neverShownToTheModel(facts),
    ...partsWithoutAnEnd(facts),
    ...facts.restless.map((what) => violation('had not come to rest in time', what)),
  ];
}

function acknowledgedNotStored(facts) {
  const statuses = new Set(
    facts.tables.events
      .filter((event) => event.kind === 'status')
      .map((event) => event.externalId.replace(/:[^:]*$/, '')),
  );
  const isStored = (held) => {
    const [kind, id, name] = held.split(' ');
    return kind === 'message' ? facts.events.has(id) : statuses.has(`${id}:${name}`);
  };
  return facts.acknowledged.flatMap((webhook) =>
    webhook.holds
      .filter((held) => !isStored(held))
      .map((held) => violation('answered with 200 and not stored', held, webhook)),
  );
}

/** The channel repeats what was refused, so in the end everything that people said must be here. */
function saidNotStored(facts) {
  return facts.said.filter(({ id }) => !facts.events.has(id)).map((said) => violation('said and never stored', said));
}

function storedTwice(facts) {
  const seen = new Set();
  return facts.tables.events.flatMap((event) => {
    const key = `${event.accountKey} ${event.externalId}`;
    if (seen.has(key)) return [violation('stored twice', event)];
    seen.add(key);
    return [];
  });
}

function withoutAnEnd(facts) {
  const parked = new Set(facts.tables.parked.map(({ event }) => event));
  const reviewed = new Set(facts.tables.reviews.flatMap(({ event, batch }) => [`event ${event}`, `batch ${batch}`]));
  return facts.tables.events.flatMap((event) => {
    if (event.outcome === null) return parked.has(event.id) ? [] : [violation('without a final outcome', event)];
    if (!OUTCOMES.has(event.outcome)) return [violation('with an outcome that is none', event)];
    if (event.outcome === 'in_batch' && !facts.batches.has(event.batch)) return [violation('in no batch', event)];
    if (event.outcome !== 'review') return [];
    return reviewed.has(`event ${event.id}`) || reviewed.has(`batch ${event.batch}`)
      ? []
      : [violation('for review without a case', event)];
  });
}

const FINAL = new Set(['replied', 'silent', 'review', 'human', 'superseded']);

function batchesWithoutAnEnd(facts) {
  const reviewed = new Set(facts.tables.reviews.map(({ batch }) => batch));
  return facts.tables.batches.flatMap((batch) => {
    if (!FINAL.has(batch.state)) return [violation('a batch without an end', batch)];
    if (batch.state === 'review' && !reviewed.has(batch.id))
      return [violation('a batch for review without a case', batch)];
    const holds = (facts.messagesOf.get(batch.id) ?? []).filter((event) => event.outcome === 'in_batch');
    return batch.state === 'superseded' && holds.length > 0
      ? [violation('messages in a superseded batch', batch, holds)]
      : [];
  });
}

/** The tables say answered; the model must have seen each message in a request that ended with its batch. */
function neverShownToTheModel(facts) {
  const shown = new Set(facts.asked.flatMap(({ tokens }) => tokens));
  return facts.said.flatMap((said) => {
    const event = facts.events.get(said.id);
    const batch = facts.batches.get(event?.batch);
    if (event?.outcome !== 'in_batch' || batch?.state !== 'replied' || shown.has(said.token)) return [];
    return [violation('answered without having been shown to the model', said, batch)];
  });
}

function partsWithoutAnEnd(facts) {
  const cases = new Set(facts.tables.reviews.flatMap(({ batch, part }) => [`batch ${batch}`, `part ${part}`]));
  const accepted = new Map(facts.sends.filter((send) => send.accepted).map((send) => [send.part, send]));
  return facts.tables.parts.flatMap((part) => {
    if (ACCEPTED.has(part.state)) {
      const send = accepted.get(part.id);
      return send && send.text === part.text ? [] : [violation('accepted here, unknown to the channel', part, send)];
    }
    if (part.state === 'failed' && accepted.has(part.id)) return [];
    if (part.state === 'pending' || part.state === 'sending') return [violation('a part without an end', part)];
    return cases.has(`part ${part.id}`) || cases.has(`batch ${part.batch}`)
      ? []
      : [violation('a part that nobody was asked about', part)];
  });
}
