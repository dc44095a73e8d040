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
const isInbound = (kind) => /webhook/.test(kind);

/** One track each, or a backlog of one sort would hide the others. */
export const SMALL_TRACKS = {
  channel: Object.keys(CHANNEL).filter((kind) => !isInbound(kind)),
  webhooks: [...Object.keys(CHANNEL).filter(isInbound), ...Object.keys(GATE)],
  model: Object.keys(MODEL),
};
export const SMALL_KINDS = Object.values(SMALL_TRACKS).flat();

export class SmallFaults {
  /** By our name: how often it has struck, and how often it still will. */
  struck = none();
  left = none();
  /** Our name and the strikes seen, by the simulator's number. */
  scripted = new Map();

  constructor(lab) {
    this.lab = lab;
  }

  async arm(kind, random) {
    const times = random.int(1, 2);
    if (kind in MODEL) this.lab.model.inject(MODEL[kind], times);
    else if (kind in GATE) (GATE[kind] === 'lost' ? this.lab.gate.loseAnswers : this.lab.gate.handToBoth)(times);
    else {
      const [fault] = await this.lab.simulator.control('faults', { ...CHANNEL[kind](random), times });
      this.scripted.set(fault.id, { kind, seen: 0 });
    }
  }

  /** How many strikes of these kinds still wait for their call. */
  async waiting(kinds) {
    await this.look();
    return kinds.reduce((sum, kind) => sum + this.left[kind], 0);
  }

  async look() {
    this.left = none();
    for (const fault of await this.lab.simulator.faults()) {
      const script = this.scripted.get(fault.id);
      if (script === undefined) continue;
      this.struck[script.kind] += fault.struck - script.seen;
      this.left[script.kind] += fault.times - fault.struck;
      script.seen = fault.struck;
    }
    for (const [names, { struck, armed }] of [
      [MODEL, this.lab.model],
      [GATE, this.lab.gate],
    ]) {
      for (const [kind, name] of Object.entries(names)) {
        this.struck[kind] = struck[name] ?? 0;
        this.left[kind] = armed[name] ?? 0;
      }
    }
  }

  /** What has not struck yet never will. */
  async calm() {
    await this.look();
    this.lab.model.calm();
    this.lab.gate.calm();
    await this.lab.simulator.control('faults', undefined, 'DELETE');
  }
}

function none() {
  return Object.fromEntries(SMALL_KINDS.map((kind) => [kind, 0]));
}
