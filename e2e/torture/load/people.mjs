/** Customers: bursts with pauses, copies, shuffled arrival, several messages in one webhook, and some from a day ago. */
import { setTimeout as delay } from 'node:timers/promises';
import { ACCOUNTS } from '../lab/lab.mjs';
import { TIMES } from '../times.mjs';

const WISHES = [
  'hello',
  'a question',
  'book a cut please',
  'please note that I am late',
  'book it and note my dog',
  'thanks',
];

/**
 * @typedef {object} Said
 * @property {string} id
 * @property {string} token
 * @property {string} phone
 * @property {string} account external id.
 * @property {number} at what the webhook says, epoch ms (whole seconds).
 */

export class People {
  /** @type {Said[]} */
  said = [];
  pending = 0;
  stopping = false;

  constructor(lab, { seed, people }, random) {
    this.lab = lab;
    this.seed = seed;
    this.random = random;
    this.everyone = Array.from({ length: people }, (_, i) => ({
      phone: `1555020${1000 + i}`,
      account: ACCOUNTS[i % 4 === 3 ? 1 : 0].externalId,
      random: random.fork(`person ${i}`),
    }));
  }

  /** Everybody writes until `stop`. */
  run() {
    const lives = this.everyone.map((person) => this.live(person));
    this.ended = Promise.all([...lives, this.fromYesterday()]);
  }

  async stop() {
    this.stopping = true;
    await this.ended;
    for (const deadline = Date.now() + 25_000; this.pending > 0 && Date.now() < deadline;) await delay(50);
  }

  async live(person) {
    await delay(person.random.int(0, 2_000));
    while (!this.stopping) {
      await this.burst(person);
      await delay(person.random.int(1_000, 7_000));
    }
  }

  async burst({ phone, account, random }) {
    const now = Math.floor(Date.now() / 1000);
    const count = random.int(1, 5);
    // Told seconds apart and delivered in another order, or all at the present second.
    const spread = random.chance(0.4);
    let messages = Array.from({ length: count }, (_, i) =>
      this.compose(phone, account, random, (spread ? now - count + 1 + i : now) * 1000),
    );
    if (spread) messages = random.shuffle(messages);
    if (random.chance(0.2)) return this.send(account, messages, random);
    for (const message of messages) {
      this.send(account, [message], random);
      await delay(random.int(0, random.chance(0.2) ? 900 : 250));
    }
  }

  /** A customer whose service window closes within the next seconds: the reply leaves in time, or not at all. */
  async fromYesterday() {
    const random = this.random.fork('yesterday');
    for (let i = 0; !this.stopping; i++) {
      const phone = `1555030${1000 + i}`;
      const { externalId } = ACCOUNTS[0];
      const closesIn = random.int(2, 6);
      const at = (Math.floor(Date.now() / 1000) + closesIn) * 1000 - TIMES.serviceWindow;
      this.send(externalId, [this.compose(phone, externalId, random, at)], random);
      await delay(random.int(1_500, 4_000));
    }
  }

  compose(phone, account, random, at) {
    const token = `[m${this.said.length + 1}]`;
    const message = { id: `wamid.TORTURE${this.seed}.${this.said.length + 1}`, token, phone, account, at };
    this.said.push(message);
    return { ...message, text: `${random.pick(WISHES)} ${token}` };
  }

  send(account, messages, random) {
    this.pending++;
    const copies = random.chance(0.1) ? random.int(2, 3) : 1;
    const items = messages.map(({ id, text, at }) => ({ id, text, at: at / 1000 }));
    const body = { account, from: messages[0].phone, name: `P ${messages[0].phone}`, messages: items, copies };
    void this.lab.simulator
      .control('messages', body)
      .catch((error) => (this.failure ??= error))
      .finally(() => this.pending--);
  }
}
