/** What the outside has seen of the answers. A reply repeats the mark of each message that it answers. */
const mark = /#[\w.]+/g;
/** Length of one step of the curve, ms. */
const stepMs = 250;

export class Record {
  /** Parts that the channel has accepted, and when the last of them was; epoch ms. */
  accepted = 0;
  lastAcceptedAt = 0;
  /** Statuses that were answered with 200, and those that still are to be. */
  statusesAcknowledged = 0;
  statusesOpen = 0;
  /** How often each message was answered, by its mark. */
  #answers = new Map();
  /** First answers per step. */
  #curve = new Map();

  accept(text, now = Date.now()) {
    this.accepted += 1;
    this.lastAcceptedAt = now;
    for (const tag of marksIn(text)) {
      const before = this.#answers.get(tag) ?? 0;
      this.#answers.set(tag, before + 1);
      const step = Math.floor(now / stepMs) * stepMs;
      if (before === 0) this.#curve.set(step, (this.#curve.get(step) ?? 0) + 1);
    }
  }

  /** Only messages of this run count. */
  summary(run) {
    const ours = [...this.#answers].filter(([tag]) => tag.startsWith(`#${run}.`));
    const { accepted, lastAcceptedAt, statusesAcknowledged, statusesOpen } = this;
    return {
      ...{ accepted, lastAcceptedAt, statusesAcknowledged, statusesOpen },
      answered: ours.length,
      twice: ours.filter(([, times]) => times > 1).length,
      curve: [...this.#curve].sort((a, b) => a[0] - b[0]),
    };
  }
}

/** The marks in a text, in order. */
export const marksIn = (text) => text.match(mark) ?? [];
