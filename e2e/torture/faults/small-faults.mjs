/** Faults that strike one call: of the channel, of the model, of a webhook. They count when the call has come. */

/** Kinds of the simulator's script, by our name for them. */
const CHANNEL = {
  'channel cuts before accepting': () => ({ kind: 'cut-before' }),
  'channel cuts after accepting': (random) => ({
    kind: 'cut-after',
    statuses: random.pick(['normal', 'normal', 'none']),
  }),
  'channel 5xx': (random) => ({ kind: 'http', status: random.pick([500, 502, 503, 504]), body: 'upstream' }),
  'channel error 131000': () => ({ kind: 'error', code: 131000 }),
  'rate limit 131056': () => ({ kind: 'error', code: 131056 }),
  'rate limit 130429': () => ({ kind: 'error', code: 130429 }),
  'channel answers slowly': (random) => ({
    kind: 'latency',
    ms: random.int(300, 2_500),
    when: random.pick(['before', 'after']),
  }),
  'status before our answer': (random) => ({
    kind: 'early-status',
    status: random.pick(['sent', 'delivered', 'read']),
    holdMs: random.int(20, 1_600),
  }),
  'failed after acceptance': () => ({ kind: 'failed-later', code: 131026 }),
  'webhook doubled': (random) => ({ kind: 'duplicate', n: random.int(1, 3) }),
  'webhook delayed': (random) => ({ kind: 'delay', ms: random.int(100, 4_000) }),
  'webhook out of order': () => ({ kind: 'reorder', maxHoldMs: 2_000 }),
};
const MODEL = {
  'model error': 'error',
  'model rate limit': 'limit',
  'model hangs': 'hang',
  'model cuts': 'cut',
  'model slow': 'slow',
};
const GATE = { 'answer to a webhook lost': 'lost', 'webhook at both ingests at once': 'both' };

export const SMALL_KINDS = [...Object.keys(CHANNEL), ...Object.keys(MODEL), ...Object.keys(GATE)];

export class SmallFaults {
  /** Our name by the simulator's number. */
  named = new Map();

  constructor(lab) {
    this.lab = lab;
  }

  async arm(kind, random) {
    const times = random.int(1, 2);
    if (kind in MODEL) this.lab.model.inject(MODEL[kind], times);
    else if (kind in GATE) (GATE[kind] === 'lost' ? this.lab.gate.loseAnswers : this.lab.gate.handToBoth)(times);
    else {
      const [fault] = await this.lab.simulator.control('faults', { ...CHANNEL[kind](random), times });
      this.named.set(fault.id, kind);
    }
  }

  /** How often each has struck so far. */
  async counts() {
    const counts = Object.fromEntries(SMALL_KINDS.map((kind) => [kind, 0]));
    for (const fault of await this.lab.simulator.faults()) {
      const kind = this.named.get(fault.id);
      if (kind !== undefined) counts[kind] += fault.struck;
    }
    for (const [kind, name] of Object.entries(MODEL)) counts[kind] = this.lab.model.struck[name] ?? 0;
    for (const [kind, name] of Object.entries(GATE)) counts[kind] = this.lab.gate.struck[name];
    return counts;
  }

  /** What has not struck yet never will. Call `counts` before: the simulator forgets them with this. */
  async calm() {
    this.lab.model.calm();
    this.lab.gate.calm();
    await this.lab.simulator.control('faults', undefined, 'DELETE');
  }
}
