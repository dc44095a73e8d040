/** The evidence by its keys, and what the witnesses say put together: which process asked the model for which turn. */

/** Two logs of one moment are not written in the same millisecond. */
export const SKEW_MS = 150;

/** @param {import('../evidence.mjs').Evidence} evidence */
export function factsOf(evidence) {
  const { tables, said } = evidence;
  const by = (rows, key) => new Map(rows.map((row) => [row[key], row]));
  const messages = tables.events.filter((event) => event.kind === 'message');
  const facts = {
    ...evidence,
    saidById: by(said, 'id'),
    saidByToken: by(said, 'token'),
    events: by(messages, 'externalId'),
    batches: by(tables.batches, 'id'),
    parts: by(tables.parts, 'id'),
    turnsOf: groupBy(tables.turns, (turn) => turn.conversation),
    partsOf: groupBy(tables.parts, (part) => part.conversation),
    batchesOf: groupBy(tables.batches, (batch) => batch.conversation),
    messagesOf: groupBy(messages, (event) => event.batch),
    messagesIn: groupBy(messages, (event) => event.conversation),
    casesOfPart: groupBy(tables.reviews, (review) => review.part),
    casesOfBatch: groupBy(tables.reviews, (review) => review.batch),
    sends: sendsOf(evidence),
  };
  facts.eventOfToken = (token) => facts.events.get(facts.saidByToken.get(token)?.id);
  facts.asked = withTurns(facts);
  return facts;
}

export function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** Every call that tried to send, with the part and the attempt that its tracker names. */
function sendsOf({ calls }) {
  return calls
    .filter((call) => call.kind === 'send')
    .map((call) => {
      const named = /^part:(\d+):(\d+)$/.exec(call.tracker ?? '');
      return { ...call, part: named?.[1] ?? null, attempt: Number(named?.[2] ?? 0) };
    });
}

/**
 * Each request to the model with its turn. A key of its own tells the process; the holder in the tables is a random id,
 * so which holder is which process is learned from the requests that leave no doubt.
 */
function withTurns(facts) {
  const asked = facts.asked.map((one) => ({
    ...one,
    conversation: facts.eventOfToken(one.tokens.at(-1))?.conversation ?? null,
  }));
  const votes = new Map();
  for (const one of asked) {
    const at = (facts.turnsOf.get(one.conversation) ?? []).filter(
      (turn) => turn.startedAt <= one.at + SKEW_MS && (turn.endedAt === null || turn.endedAt >= one.at),
    );
    if (at.length !== 1) continue;
    const count = votes.get(at[0].holder) ?? new Map();
    count.set(one.boot, (count.get(one.boot) ?? 0) + 1);
    votes.set(at[0].holder, count);
  }
  const bootOf = new Map([...votes].map(([holder, count]) => [holder, mostFrequent(count)]));
  facts.bootOf = bootOf;
  for (const one of asked) {
    const held = (facts.turnsOf.get(one.conversation) ?? []).filter(
      (turn) => turn.startedAt <= one.at + SKEW_MS && (bootOf.get(turn.holder) ?? one.boot) === one.boot,
    );
    // Where turns run side by side, the messages say which one asks; a takeover may have moved them since.
    const own = held.filter((turn) => turn.slots === 1 || turn.batch === facts.eventOfToken(one.tokens.at(-1))?.batch);
    // The one that had begun; the skew is for the clocks, not for choosing the next attempt.
    one.turn = own.findLast((turn) => turn.startedAt <= one.at) ?? own[0] ?? null;
  }
  return asked;
}

const mostFrequent = (count) => [...count].sort((a, b) => b[1] - a[1])[0][0];

/**
 * Whether the process of a boot was struck within these times, epoch ms. A graceful stop is no excuse: it may give a
 * lease back only after it has ended what it had open.
 */
export function wasStruck(facts, boot, from, to) {
  const member = boot?.split('.')[0];
  return facts.outages.some(
    (outage) =>
      (outage.member === member || outage.member === 'postgres') &&
      outage.why !== 'stopped' &&
      outage.from <= to &&
      (outage.to ?? Infinity) + facts.times.lease >= from,
  );
}

/** @param {string} what @param {unknown[]} rows */
export const violation = (what, ...rows) => ({ what, rows });
