/** A colleague who takes conversations over in the middle of things, sometimes writes, and gives them back. */
import { setTimeout as delay } from 'node:timers/promises';

/**
 * @typedef {object} Takeover times in epoch ms.
 * @property {string} conversation
 * @property {number} acknowledgedAt the console has said yes.
 * @property {number} endsAt the earliest moment at which it may have ended: released, or timed out.
 * @property {boolean} live it cut into a turn, or held parts.
 */

export class Colleague {
  /** @type {Takeover[]} */
  takeovers = [];
  stopping = false;

  constructor(lab, people, random) {
    this.lab = lab;
    this.people = people;
    this.random = random;
  }

  run() {
    this.ended = this.work();
  }

  async stop() {
    this.stopping = true;
    await this.ended;
  }

  async work() {
    const { random, lab } = this;
    while (!this.stopping) {
      await delay(random.int(2_000, 5_000));
      const id = await this.choose();
      if (id === null || this.stopping) continue;
      const [status, body] = await lab.console(`conversations/${id}/takeover`, { by: 'Robin' });
      const acknowledgedAt = Date.now();
      if (status !== 200) continue;
      const takeover = {
        conversation: body.conversationId,
        acknowledgedAt,
        endsAt: Date.parse(body.until),
        live: await this.cutIn(id),
      };
      this.takeovers.push(takeover);
      await delay(random.int(300, 2_500));
      if (random.chance(0.3))
        await lab.console(`conversations/${id}/messages`, { by: 'Robin', text: 'A person here.' });
      await delay(random.int(0, 1_000));
      // Some are left to end by themselves.
      if (random.chance(0.2)) continue;
      takeover.endsAt = Math.min(takeover.endsAt, Date.now());
      await lab.console(`conversations/${id}/release`, { by: 'Robin' });
    }
  }

  /** A conversation in which the assistant is busy, if there is one. */
  async choose() {
    const rows = await this.lab.postgres.ask(
      `SELECT c.id::text FROM conversation c WHERE c.taken_over_at IS NULL AND c.merged_into_id IS NULL
         AND (EXISTS (SELECT FROM batch b WHERE b.conversation_id = c.id AND b.state = 'running')
           OR EXISTS (SELECT FROM part p WHERE p.conversation_id = c.id AND p.state IN ('pending', 'sending')))
       ORDER BY c.id`,
    );
    return rows === null || rows.length === 0 ? null : this.random.pick(rows).id;
  }

  async cutIn(id) {
    const rows = await this.lab.postgres.ask(
      `SELECT EXISTS (SELECT FROM turn t JOIN batch b ON b.id = t.batch_id WHERE b.conversation_id = $1 AND t.outcome = 'taken-over'
           AND t.ended_at > now() - interval '2 s')
         OR EXISTS (SELECT FROM part WHERE conversation_id = $1 AND (state = 'sending' OR (state = 'held' AND reason = 'taken-over'))) AS live`,
      [id],
    );
    return rows?.[0]?.live === true;
  }
}
