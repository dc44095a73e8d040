/** kill -9 aimed at a turn: before and after each of its commits, and a process that was only frozen. */
import { jest } from '@jest/globals';
import { eventually, type RunningService } from '#testing';
import { blockConversation, blockWrites, type Block } from '../harness/blocked-statement.js';
import { checkInvariants } from '../harness/check-invariants.js';
import { CRASH_ENV } from '../harness/crash-env.js';
import { crash } from '../harness/crash.js';
import { closeBooks } from '../harness/ledger.js';
import { createGate } from '../harness/timing.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

jest.setTimeout(90_000);

/** Several restarts on two busy cores. */
const PATIENCE_MS = 45_000;

describe.each(BACKENDS)('a responder that dies in a turn, wake-ups over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ backend, env: CRASH_ENV, services: { console: 0 } });
    await world.simulator.control('settings', { retry: { baseMs: 100, maxDelayMs: 400 } });
  }, 150_000);
  afterAll(() => world?.close());

  /** The newest one: those before it were killed. */
  const responder = (): RunningService => {
    const service = world.running.findLast((one) => one.name === 'responder');
    if (!service) throw new Error('no responder is running');
    return service;
  };

  it('before its answer is in the journal: the assistant is asked again, and one reply goes out', async () => {
    const person = world.person();
    const journal = await blockWrites(world, 'model_step');
    await person.says('before the journal');
    await journal.reached('responder');
    const startAgain = await crash(world, responder());
    await journal.cancelWaiting();
    await journal.release();

    await startAgain();
    expect((await person.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['You said: before the journal']);
    const [first, second, ...more] = person.asked();
    expect(more).toEqual([]);
    expect(second?.turn.batch).toEqual({ id: first?.turn.batch.id, attempt: 2 });
    expect(second?.turn.messages).toEqual(first?.turn.messages);
    expect(second?.http.headers['idempotency-key']).toBe(first?.http.headers['idempotency-key']);
  });

  it('between the journal and the commit: the answer is taken from the journal, the assistant is not asked again', async () => {
    const person = world.person();
    let commit: Block | undefined;
    person.willBeAnswered(
      async ({ turn }) => {
        commit = await blockConversation(world, turn.conversation.id);
        return { parts: ['the first wording'] };
      },
      { parts: ['another wording'] },
    );
    await person.says('before the commit');
    const blocked = await eventually(() => commit);
    await blocked.reached('responder');
    const steps = `SELECT s.kind FROM model_step s JOIN turn t USING (batch_id) WHERE t.batch_id = $1 AND t.ended_at IS NULL`;
    expect(await world.query(steps, [person.asked()[0]?.turn.batch.id])).toEqual([{ kind: 'answer' }]);
    const startAgain = await crash(world, responder());
    await blocked.release();

    await startAgain();
    expect((await person.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['the first wording']);
    expect(person.asked()).toHaveLength(1);
  });

  it('frozen until another one has its batch: when it wakes it sends and writes nothing', async () => {
    const person = world.person();
    const answer = createGate();
    person.willBeAnswered(
      async () => {
        await answer.opened;
        return { parts: ['too late'] };
      },
      { parts: ['in time'] },
    );
    const frozen = responder();
    await person.says('frozen');
    await person.isAsked(1, PATIENCE_MS);
    process.kill(frozen.pid, 'SIGSTOP');
    answer.open();
    await world.start('responder');
    await person.hears(1, PATIENCE_MS);
    process.kill(frozen.pid, 'SIGCONT');
    await eventually(() => frozen.output().includes('this turn has lost its batch'));
    expect((await person.received()).map((entry) => entry.text)).toEqual(['in time']);
    expect(person.asked().map(({ turn }) => turn.batch.attempt)).toEqual([1, 2]);
  });

  it('and the books are right afterwards', async () => {
    const { ledger, unaccounted } = await closeBooks(world);
    expect(unaccounted).toEqual([]);
    expect(ledger).toMatchObject({ batches: { replied: 3 }, parts: { read: 3 }, waiting: { person: 0 } });
    await checkInvariants(world, { waits: false });
  });
});
