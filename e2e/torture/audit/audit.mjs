/**
 * The audit, from outside: what the channel and the model saw, and plain rows of the tables. It shares no code with
 * what it audits, so that the two cannot be wrong in the same way.
 *
 *   node e2e/torture/audit/audit.mjs <folder>      judges the kept evidence of a run once more
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { factsOf, violation } from './facts.mjs';
import { nothingLost } from './p1-nothing-lost.mjs';
import { oneTurnAtATime, zombieCalls } from './p2-one-turn.mjs';
import { allowedCopies, noCopies } from './p3-no-copies.mjs';
import { oneEffect } from './p4-one-effect.mjs';
import { inOrder } from './p5-order.mjs';
import { redisIsOnlyAHint, waits } from './p6-waits.mjs';
import { silentAfterTakeover } from './p7-takeover.mjs';
import { heldByTheWindow, insideTheServiceWindow } from './p8-service-window.mjs';
import { harmlessZombies, lateBytes } from './p10-zombies.mjs';

const PROMISES = [
  ['P1', 'nothing acknowledged is lost', nothingLost],
  ['P2', 'one turn at a time', oneTurnAtATime],
  ['P3', 'nothing is sent twice', noCopies],
  ['P4', 'one effect per batch', oneEffect],
  ['P5', 'messages in order', inOrder],
  ['P6', 'no wait beyond the cap', waits],
  ['P7', 'silent after a takeover', silentAfterTakeover],
  ['P8', 'inside the service window', insideTheServiceWindow],
  ['P9', 'Redis is only a hint', redisIsOnlyAHint],
  ['P10', 'zombies do no harm', harmlessZombies],
  ['--', 'no process ends by itself', surprises],
];

/**
 * @param {import('../evidence.mjs').Evidence} evidence
 * @returns {{promises: {id: string, title: string, violations: {what: string, rows: unknown[]}[]}[], notes: Record<string, number>}}
 */
export function audit(evidence) {
  const facts = factsOf(evidence);
  return {
    promises: PROMISES.map(([id, title, check]) => ({ id, title, violations: check(facts) })),
    notes: {
      'open calls of lapsed turns, listed': zombieCalls(facts).length,
      'bytes that left after a freeze behind the last check, listed': lateBytes(facts).length,
      'copies that `resend` allowed': allowedCopies(facts),
      'parts held by a closed service window': heldByTheWindow(facts),
      'requests to the model without a known turn': facts.asked.filter(({ turn }) => turn === null).length,
    },
  };
}

function surprises(facts) {
  return facts.surprises.map((surprise) => violation('a process ended by itself, or hung at its end', surprise));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { promises, notes } = audit(JSON.parse(readFileSync(`${process.argv[2]}/evidence.json`, 'utf8')));
  for (const { id, title, violations } of promises) {
    console.log(`${id} ${title}: ${violations.length}`);
    for (const { what, rows } of violations.slice(0, 5))
      console.log(`  ${what}\n    ${rows.map((row) => JSON.stringify(row)).join('\n    ')}`);
  }
  console.log(notes);
}
