import { StaleFenceError, type Json, type Tool, type TurnContext } from '#domain';
import { startFakeModel, textsOf, type FakeModel } from '#testing';
import { createAssistant, type AssistantOptions } from './create-assistant.js';
import { handToPersonTool } from './hand-to-person-tool.js';
import { openingHoursTool } from './opening-hours-tool.js';
import { CountingTool, MemoryJournal, neverAborted, stillHeld, turnOf } from './spec-kit.js';
import { staySilentTool } from './stay-silent-tool.js';

let fake: FakeModel;
beforeEach(async () => {
  fake = await startFakeModel();
});
afterEach(() => fake.close());

function setUp(tools: Tool[] = [], changes: Partial<AssistantOptions> = {}) {
  const journal = new MemoryJournal();
  const assistant = createAssistant({
    model: 'openai-compatible:fake-1',
    openai: { baseURL: fake.baseUrl, apiKey: 'sk-secret-of-the-salon' },
    modelTimeoutMs: 5000,
    toolTimeoutMs: 5000,
    partLength: () => 4096,
    ...changes,
  });
  const answer = (turn: TurnContext = turnOf(['hi']), signal: AbortSignal = neverAborted) =>
    assistant.answer(turn, { journal, tools, signal, stillHeld });
  return { journal, answer };
}

const call = (name: string, args: Record<string, unknown> | string) => ({ toolCalls: [{ name, arguments: args }] });
const result = (journal: MemoryJournal, position: number): Json => {
  const step = journal.stored.get(position);
  return step?.kind === 'tool' ? step.result : null;
};

describe('what the model is asked', () => {
  it('sends every message of the batch, in order, in one request, and splits the reply', async () => {
    fake.always({ text: 'Hello!\n\nYes, from 10.' });
    const texts = ['hi', 'quick question', 'do you have anything Saturday?'];
    expect(await setUp().answer(turnOf(texts))).toEqual({ kind: 'reply', parts: ['Hello!', 'Yes, from 10.'] });
    expect(fake.requests).toHaveLength(1);
    expect(textsOf(fake.requests[0]!, 'user')).toEqual(texts);
  });

  it('runs a tool only once its answer and its call are journaled', async () => {
    const hold = new CountingTool('hold');
    fake.next(call('hold', { what: '10:00' }));
    const { journal, answer } = setUp([hold]);
    const before: unknown[] = [];
    const run = hold.run.bind(hold);
    hold.run = async (args, how) => {
      before.push(...(await journal.steps()));
      return run(args, how);
    };
    await answer();
    expect(before).toMatchObject([
      { position: 0, kind: 'answer' },
      { position: 1, kind: 'tool', state: 'started', call: { key: 'b1:1' } },
    ]);
  });

  it('journals the answer with its usage, then calls, then results', async () => {
    fake.next(call('opening_hours', { day: 'Saturday' }), { text: 'From 10.' });
    const { journal, answer } = setUp([openingHoursTool()]);
    await answer();
    const steps = await journal.steps();
    expect(steps.map(({ kind }) => kind)).toEqual(['answer', 'tool', 'answer']);
    expect(steps[0]).toMatchObject({ usage: { inputTokens: 10, outputTokens: 10 } });
    expect(result(journal, 1)).toEqual({ days: [{ day: 'Saturday', open: '10:00', close: '14:00' }] });
    expect(textsOf(fake.requests[1]!, 'tool')[0]).toContain('14:00');
  });
});

describe('calls that cannot run', () => {
  it.each([
    ['an unknown tool', call('fly', {}), /no tool fly/],
    ['arguments that are no JSON', call('hold', '{"what": '), /not a JSON object/],
    ['arguments that do not fit', call('hold', { what: 7 }), /do not fit.*what/s],
  ])('tells the model about %s and runs nothing', async (_name, wanted, error) => {
    const hold = new CountingTool('hold');
    fake.next(wanted, { text: 'sorry' });
    const { journal, answer } = setUp([hold]);
    expect(await answer()).toEqual({ kind: 'reply', parts: ['sorry'] });
    expect(result(journal, 1)).toEqual({ error: expect.stringMatching(error) });
    expect(hold.runs.size).toBe(0);
  });

  it('tells the model when a read-only tool fails', async () => {
    const broken: Tool = { ...openingHoursTool(), run: () => Promise.reject(new Error('the book is closed')) };
    fake.next(call('opening_hours', {}), { text: 'I do not know.' });
    const { journal, answer } = setUp([broken]);
    await answer();
    expect(result(journal, 1)).toEqual({ error: 'the book is closed' });
  });

  it('fails the attempt when an effectful tool throws, and runs the same call with the same key next time', async () => {
    const hold = new CountingTool('hold');
    hold.failOnce = new Error('connection lost');
    fake.next(call('hold', { what: '10:00' }), { text: 'held' });
    const { answer } = setUp([hold]);
    await expect(answer()).rejects.toThrow('connection lost');
    await answer();
    expect([...hold.runs.entries()]).toEqual([['b1:1', [{ what: '10:00' }, { what: '10:00' }]]]);
  });

  it('fails the attempt when an effectful tool is too slow', async () => {
    const hold: Tool = Object.assign(new CountingTool('hold'), { run: () => new Promise<Json>(() => undefined) });
    fake.next(call('hold', { what: '10:00' }));
    const { journal, answer } = setUp([hold], { toolTimeoutMs: 20 });
    await expect(answer()).rejects.toThrow('tool hold did not answer within 20 ms');
    expect(journal.stored.get(1)).toMatchObject({ state: 'started' });
  });

  it('stops when the fence is stale', async () => {
    const stale: Tool = { ...openingHoursTool(), run: () => Promise.reject(new StaleFenceError('taken')) };
    fake.next(call('opening_hours', {}));
    await expect(setUp([stale]).answer()).rejects.toThrow(StaleFenceError);
  });
});

describe('how a turn ends', () => {
  it('hands over, after the other calls of that answer', async () => {
    const note = new CountingTool('note');
    const why = { why: 'asks about a refund' };
    fake.next({
      toolCalls: [
        { name: 'hand_to_person', arguments: why },
        { name: 'note', arguments: { what: 'refund' } },
      ],
    });
    const { answer } = setUp([note, handToPersonTool]);
    expect(await answer()).toEqual({ kind: 'review', why: 'asks about a refund' });
    expect(note.runs.size).toBe(1);
    // Resumed, it ends the same way without a model.
    expect(await answer()).toEqual({ kind: 'review', why: 'asks about a refund' });
    expect(fake.requests).toHaveLength(1);
  });

  it('stays silent when asked to', async () => {
    fake.next(call('stay_silent', {}));
    expect(await setUp([staySilentTool]).answer()).toEqual({ kind: 'silent' });
  });

  it('goes to review after too many steps', async () => {
    fake.always(call('opening_hours', {}));
    expect(await setUp([openingHoursTool()], { maxSteps: 3 }).answer()).toEqual({
      kind: 'review',
      why: 'too many steps',
    });
    expect(fake.requests).toHaveLength(3);
  });

  it.each([
    ['empty', { text: ' ' }, 'gave an empty answer'],
    ['cut off', { text: 'You can come at', finishReason: 'length' }, 'ended early: length'],
  ])('fails on an answer that is %s, and asks again next time', async (_name, bad, error) => {
    const { journal, answer } = setUp();
    fake.next(bad);
    await expect(answer()).rejects.toThrow(error);
    expect(journal.stored.size).toBe(0);
    await expect(answer()).resolves.toMatchObject({ kind: 'reply' });
  });
});

describe('limits', () => {
  it('gives up on a slow model and closes its connection', async () => {
    fake.next({ fault: 'hang' });
    await expect(setUp([], { modelTimeoutMs: 50 }).answer()).rejects.toThrow('did not answer within 50 ms');
  });

  it('stops at once, with the reason, when the turn is aborted', async () => {
    fake.next({ fault: 'hang' });
    const stop = new AbortController();
    const answer = setUp().answer(turnOf(['hi']), stop.signal);
    void fake.received(1).then(() => stop.abort(new StaleFenceError('lease lost')));
    await expect(answer).rejects.toThrow('lease lost');
  });

  it('asks once: retries belong to the turn, and the error names no key', async () => {
    fake.always({ status: 401, text: 'Incorrect API key provided: sk-secret-of-the-salon' });
    const error = await setUp()
      .answer()
      .catch((caught: unknown) => caught);
    expect(String(error)).toMatch(/401/);
    expect(String(error)).not.toContain('sk-secret');
    expect(fake.requests).toHaveLength(1);
  });

  it('keeps an answer with characters that Postgres refuses', async () => {
    fake.next({ text: 'a\u0000b \ud800' });
    expect(await setUp().answer()).toEqual({ kind: 'reply', parts: ['ab \ufffd'] });
  });
});
