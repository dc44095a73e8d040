/** P6 and P9: no wait exceeds the cap plus one sweep while the conversation and a slot are free, with Redis or without. */
import { availabilityOf } from './availability.mjs';
import { violation } from './facts.mjs';

/** The promise about Redis, ms after the due time, on a machine that is not busy otherwise. */
const WITHOUT_REDIS_MS = 2_000;
const USUAL_ALLOWANCE_MS = 1_500;

export function waits(facts) {
  const availability = availabilityOf(facts);
  const most = facts.times.sweep + facts.options.allowance;
  const unrouted = facts.tables.events
    .map((event) => ({
      ...event,
      ...waitOf(availability, 'batcher', event.arrivedAt, event.routedAt ?? facts.endedAt),
    }))
    .filter(({ waited, machine }) => waited > most + machine)
    .map((event) => violation(`waited ${event.waited} ms for its place`, event));
  const starts = startsOf(facts, availability);
  return [
    ...unrouted,
    ...facts.tables.batches
      .filter(({ firstAt, dueAt }) => dueAt > firstAt + facts.times.cap + 1)
      .map((batch) => violation('due after the cap', batch)),
    ...starts
      .filter(({ waited, machine }) => waited > most + machine)
      .map((start) => violation(`waited ${start.waited} ms for its turn`, start)),
  ];
}

/** P9: the same, for what fell due while Redis was away; and the drill without any other fault. */
export function redisIsOnlyAHint(facts) {
  const availability = availabilityOf(facts);
  const most = WITHOUT_REDIS_MS + Math.max(0, facts.options.allowance - USUAL_ALLOWANCE_MS);
  const late = startsOf(facts, availability)
    .filter((start) => availability.redisAway(start.freeAt) && start.waited > most + start.machine)
    .map((start) => violation(`without Redis it waited ${start.waited} ms for its turn`, start));
  const { gone = [], emptied = [] } = facts.recovery?.dueToStart ?? {};
  const drilled = [...gone, ...emptied].filter((ms) => ms > most);
  return [...late, ...drilled.map((ms) => violation(`in the drill a turn began ${ms} ms after it was due`))];
}

/** The first turn of each batch, and how long it waited for it without an excuse. */
function startsOf(facts, availability) {
  return facts.tables.batches.flatMap((batch) => {
    const turn = (facts.turnsOf.get(batch.conversation) ?? []).find((one) => one.batch === batch.id);
    if (turn === undefined) return [];
    const freeAt = Math.max(batch.dueAt, batch.createdAt, conversationFreeAt(facts, batch, turn.startedAt));
    const wait = waitOf(availability, 'responder', freeAt, turn.startedAt);
    return [{ batch: batch.id, freeAt, startedAt: turn.startedAt, ...wait, dueAt: batch.dueAt }];
  });
}

const waitOf = (availability, service, from, to) => ({
  waited: availability.inexcusable(service, from, to),
  machine: availability.machine(from, to),
});

/** When the last thing ended that the conversation's next turn had to wait for. */
function conversationFreeAt(facts, batch, startedAt) {
  const turns = (facts.turnsOf.get(batch.conversation) ?? []).filter(
    (turn) => turn.batch !== batch.id && turn.startedAt < startedAt,
  );
  const others = (facts.batchesOf.get(batch.conversation) ?? []).filter(
    (one) => one.id !== batch.id && one.sealedAt !== null,
  );
  const parts = (facts.partsOf.get(batch.conversation) ?? []).filter((part) => part.createdAt < startedAt);
  const times = [
    ...turns.map((turn) => turn.endedAt),
    ...others.map((one) => one.finishedAt),
    ...parts.flatMap((part) => [
      part.acceptedAt,
      part.failedAt,
      ...casesOf(facts, part).map((review) => review.openedAt),
    ]),
  ];
  return Math.max(0, ...times.filter((at) => at !== null && at <= startedAt));
}

const casesOf = (facts, part) => [
  ...(facts.casesOfPart.get(part.id) ?? []),
  ...(part.batch === null ? [] : (facts.casesOfBatch.get(part.batch) ?? [])),
];
