/**
 * Which operation a statement belongs to, by the role that sent it (each service has one of its own here) and by its
 * text, in which literals have become `$n`. Of a service's statements the first that fits counts; what fits nothing is
 * told apart as `other`.
 */
const operations = [
  { name: 'acknowledge', service: 'ingest', text: /INSERT INTO event/i },
  // They look for work that no wake-up announced, however much or little there is.
  { name: 'sweep: batches', service: 'responder', text: /\bready AS/, perCall: true },
  {
    name: 'sweep: parts',
    service: 'responder',
    text: /FROM part p JOIN[\s\S]*ORDER BY p\.next_attempt_at/,
    perCall: true,
  },
  { name: 'sweep: events', service: 'batcher', text: /FROM event[\s\S]*routed_at IS NULL/, perCall: true },
  {
    name: 'sweep: janitors',
    service: 'batcher',
    text: /FROM parked_status|takeover_until|erased_at|alerted_at|part.*unknown_at/,
    perCall: true,
  },
  {
    name: 'claim',
    service: 'responder',
    text: /INSERT INTO turn|otherTurn|arrival_group|FROM batch WHERE id = ANY|turns_today|UPDATE event|row\.fence|coalesce\(error/,
  },
  { name: 'finish', service: 'responder', text: /INSERT INTO part|finished_at|UPDATE turn|AND fence = / },
  { name: 'deliver', service: 'responder', text: /UPDATE part|next_send_at|FROM part/ },
  { name: 'history', service: 'responder', text: /FROM contact_alias|kind = \$/ },
  { name: 'route', service: 'batcher', text: /\b(event|batch|conversation|contact_alias|part|parked_status)\b/ },
];

/**
 * @param {{service: string, query: string, calls: number, buffers: number, ms: number}[]} statements
 * @param {number} messages that were handled: what does not count per call counts per message.
 * @returns {Map<string, {calls: number, buffers: number, ms: number, unit: 'call' | 'message'}>} per operation and unit.
 */
export function sumUp(statements, messages) {
  const sums = new Map();
  for (const { service, query, calls, buffers, ms } of statements) {
    const found = operations.find((one) => one.service === service && one.text.test(query));
    const name = found?.name ?? `other of ${service}`;
    const sum = sums.get(name) ?? { calls: 0, buffers: 0, ms: 0, unit: found?.perCall ? 'call' : 'message' };
    sums.set(name, { ...sum, calls: sum.calls + calls, buffers: sum.buffers + buffers, ms: sum.ms + ms });
  }
  for (const [name, sum] of sums) {
    const units = sum.unit === 'call' ? sum.calls : messages;
    sums.set(name, { ...sum, buffers: sum.buffers / units, ms: sum.ms / units });
  }
  return sums;
}

/** Those that must not grow with what lies in the tables. */
export const constant = [
  'acknowledge',
  'route',
  'claim',
  'finish',
  'deliver',
  'sweep: batches',
  'sweep: parts',
  'sweep: events',
];
