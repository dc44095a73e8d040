/** Under `concurrent` the bound holds over all processes, and they share the work. */
import { eventually } from '#testing';
import { AnswersByPerson } from '../harness/answers-by-person.js';
import { createPerson } from '../harness/person.js';
import { BACKENDS, type World } from '../harness/world.js';
import { accountOf, startOverlapWorld } from './scenario-world.js';

const MESSAGES = 14;

describe.each(BACKENDS)('concurrent over two responders, wake-ups over %s', (backend) => {
  let world: World;
  beforeAll(async () => {
    // A responder that runs one turn at a time cannot use both places alone.
    world = await startOverlapWorld(backend, [{ strategy: 'concurrent', maxConcurrent: 2 }], { TURN_CONCURRENCY: '1' });
  }, 240_000);
  afterAll(() => world?.close());

  it('never runs three turns of a conversation, uses both processes, and begins in order of arrival', async () => {
    const person = createPerson(world.simulator, '15550101900', new AnswersByPerson(world.assistant));
    person.willBeAnswered(...Array(MESSAGES).fill({ latencyMs: 250, parts: ['Yes.'] }));
    const said: string[] = [];
    for (let n = 0; n < MESSAGES; n++) said.push((await person.says(`number ${n}`, { account: accountOf(0) })).id);
    await person.isAsked(MESSAGES, 40_000);
    await eventually(async () => (await world.query(`SELECT FROM batch WHERE state <> 'replied'`)).length === 0);
    const spans = world.assistant.requests.map(({ http }) => ({ from: http.at, to: http.endedAt ?? Infinity }));
    const atOnce = spans.map(({ from }) => spans.filter((one) => one.from <= from && one.to > from).length);
    expect(Math.max(...atOnce)).toBe(2);
    const asked = world.assistant.requests.map(({ turn }) => turn.message.id);
    expect([...asked].sort()).toEqual([...said].sort());
    // Two that begin together may reach the assistant in either order.
    for (const [place, id] of asked.entries()) expect(Math.abs(said.indexOf(id) - place)).toBeLessThanOrEqual(1);
    const holders = await world.query(
      'SELECT turn.holder FROM turn JOIN batch ON batch.id = batch_id WHERE slots = 2 GROUP BY turn.holder',
    );
    expect(holders).toHaveLength(2);
  }, 60_000);
});
