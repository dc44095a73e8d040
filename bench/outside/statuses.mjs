import { setTimeout as delay } from 'node:timers/promises';
import { statusWebhook } from '../parts/envelope.mjs';

const names = ['sent', 'delivered', 'read'];
const againMs = 200;
const tries = 50;

/** Tells all three statuses of an accepted part, one after the other, each again until it is answered with 200. */
export async function tellStatuses(part, post, record) {
  record.statusesOpen += names.length;
  for (const name of names) {
    const webhook = statusWebhook(part, name);
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      if ((await post(webhook)) === 200) {
        record.statusesAcknowledged += 1;
        break;
      }
      await delay(againMs);
    }
    record.statusesOpen -= 1;
  }
}

/** Keeps statuses for a generator that has times of its own for them. */
export class StatusQueue {
  #waiting = [];
  #foreign = 0;

  add(part) {
    for (const name of names) this.#waiting.push([part, name]);
  }

  /** The longest waiting one; of a message that is not ours when there is none. */
  next() {
    const [part, name] = this.#waiting.shift() ?? [this.#stranger(), 'sent'];
    return { webhook: statusWebhook(part, name), kind: part.foreign ? 'foreign status' : 'status' };
  }

  #stranger() {
    this.#foreign += 1;
    return { providerId: `wamid.foreign.${process.pid}.${this.#foreign}`, recipient: '15550199999', foreign: true };
  }
}
