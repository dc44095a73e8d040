/** B11: a turn that lasts longer than its lease, and holders that cannot renew theirs. */
import { join } from 'node:path';
import { eventually, repositoryRoot, type RunningService } from '#testing';
import { checkInvariants } from '../harness/check-invariants.js';
import type { Person } from '../harness/person.js';
import { at, createGate, type Gate } from '../harness/timing.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

const LEASE_MS = 4_000;
/** Longer than the lease and the sweep that finds it lapsed. */
const STALL_MS = 6_000;
const PATIENCE_MS = 30_000;

interface LostTurn {
  person: Person;
  holder: RunningService;
  late: Gate;
  inTime: Gate;
}

describe.each(BACKENDS)('turns longer than the lease, two responders, wake-ups over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      backend,
      services: { console: 0, responder: 2 },
      env: {
        LEASE_MS: String(LEASE_MS),
        WINDOW_MS: '1000',
        STALL_MS: String(STALL_MS),
        NODE_OPTIONS: `--import=${join(repositoryRoot, 'e2e', 'harness', 'stall.mjs')}`,
      },
    });
  }, 120_000);
  afterAll(() => world?.close());

  /** The turns about one person, oldest first. */
  const turnsOf = (person: Person) =>
    world.query<{ attempt: number; fence: string; outcome: string | null; heldForMs: number }>(
      `SELECT t.attempt, t.fence::text, t.outcome, epoch_ms(coalesce(b.lease_until, t.ended_at)) - epoch_ms(t.started_at) AS "heldForMs"
        FROM turn t JOIN batch b ON b.id = t.batch_id JOIN contact_alias a USING (conversation_id)
        WHERE a.value = $1 ORDER BY t.id`,
      [person.phone],
    );

  it('is kept by renewals; what comes meanwhile is one turn, after it', async () => {
    const person = world.person();
    const gate = createGate();
    person.willBeAnswered(async () => {
      await gate.opened;
      return { parts: ['to m1'] };
    });
    await person.says('m1');
    await person.isAsked(1);
    const startedAt = Date.now();
    await person.says('m2');
    await at(startedAt, 2_000);
    await person.says('m3');
    // The lease has been moved on to three times its length: without renewals it would have ended twice by now.
    await eventually(async () => ((await turnsOf(person))[0]?.heldForMs ?? 0) > 3 * LEASE_MS, {
      timeoutMs: PATIENCE_MS,
    });
    expect(person.turns()).toEqual([['m1']]);
    gate.open();
    await person.hears(2);
    expect(person.turns()).toEqual([['m1'], ['m2', 'm3']]);
    expect((await person.received()).map((entry) => entry.text)).toEqual(['to m1', 'You said: m2 / m3']);
    expect(await turnsOf(person)).toMatchObject([
      { attempt: 1, fence: '1', outcome: 'replied' },
      { attempt: 1, fence: '1', outcome: 'replied' },
    ]);
  }, 60_000);

  it('a frozen holder finds its fence void when it wakes: it writes and sends nothing', async () => {
    const lost = await askedOf('frozen');
    process.kill(lost.holder.pid, 'SIGSTOP');
    try {
      lost.late.open();
      await lost.person.isAsked(2, PATIENCE_MS);
    } finally {
      process.kill(lost.holder.pid, 'SIGCONT');
    }
    await onlyTheOtherAnswers(lost);
  }, 60_000);

  it('so does one whose event loop stood still for longer than the lease', async () => {
    const lost = await askedOf('stalled');
    process.kill(lost.holder.pid, 'SIGUSR2');
    await eventually(() => lost.holder.output().includes('the event loop stands still'));
    // Its answer lies in the socket, and its renewals are overdue: everything comes at once when the loop goes on.
    lost.late.open();
    await lost.person.isAsked(2, PATIENCE_MS);
    await onlyTheOtherAnswers(lost);
  }, 60_000);

  it('keeps the invariants', () => checkInvariants(world, { waits: false }), 60_000);

  /** One of the responders has asked the assistant, which answers it when `late` opens, and the other one after `inTime`. */
  async function askedOf(text: string): Promise<LostTurn> {
    const person = world.person();
    const [late, inTime] = [createGate(), createGate()];
    person.willBeAnswered(
      async () => {
        await late.opened;
        return { parts: ['too late'] };
      },
      async () => {
        await inTime.opened;
        return { parts: ['in time'] };
      },
    );
    await person.says(text);
    await person.isAsked(1);
    const holder = world.running.find((service) => hasLogged(service, person, 'turn-started'));
    if (!holder) throw new Error('no responder says that it has started the turn');
    return { person, holder, late, inTime };
  }

  /** Whether a line of this service's log says `what` about the person's first batch. */
  function hasLogged(service: RunningService, person: Person, what: string): boolean {
    const batch = `"batchId":"${person.asked()[0]?.turn.batch.id}"`;
    return service
      .output()
      .split('\n')
      .some((line) => line.includes(batch) && line.includes(what));
  }

  /** The batch is running when the first holder wakes, so that nothing but the fence tells the two apart. */
  async function onlyTheOtherAnswers({ person, holder, inTime }: LostTurn): Promise<void> {
    await eventually(() => hasLogged(holder, person, 'this turn has lost its batch'), { timeoutMs: PATIENCE_MS });
    expect(await rowsOf(person)).toEqual([{ state: 'running', fence: '2', steps: null, parts: null }]);
    inTime.open();
    await person.hears(1);
    expect(await turnsOf(person)).toMatchObject([
      { attempt: 1, fence: '1', outcome: 'lapsed' },
      { attempt: 2, fence: '2', outcome: 'replied' },
    ]);
    expect((await person.sends()).map((call) => call.text)).toEqual(['in time']);
    expect(await rowsOf(person)).toEqual([{ state: 'replied', fence: '2', steps: ['2'], parts: ['in time'] }]);
  }

  /** What the turns have written about the person's batch: its end, the journal, the outbox. */
  function rowsOf(person: Person): Promise<object[]> {
    return world.query(
      `SELECT state, fence::text, (SELECT array_agg(fence::text) FROM model_step WHERE batch_id = b.id) AS steps,
        (SELECT array_agg(text) FROM part WHERE batch_id = b.id) AS parts FROM batch b WHERE id = $1`,
      [person.asked()[0]?.turn.batch.id],
    );
  }
});
