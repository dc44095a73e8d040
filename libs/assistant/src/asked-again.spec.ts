/** A model that has failed is asked on, and may have forgotten that its tool has run: the effect happens once all the same. */
import type { Json } from '#domain';
import { startFakeModel, type FakeModel } from '#testing';
import { createAssistant } from './create-assistant.js';
import { CountingTool, MemoryJournal, neverAborted, stillHeld, turnOf } from './spec-kit.js';

let fake: FakeModel;
beforeEach(async () => {
  fake = await startFakeModel();
});
afterEach(() => fake.close());

function setUp(tools: CountingTool[]) {
  const journal = new MemoryJournal();
  const assistant = createAssistant({
    model: 'openai-compatible:fake-1',
    openai: { baseURL: fake.baseUrl },
    modelTimeoutMs: 5000,
    toolTimeoutMs: 5000,
    partLength: () => 4096,
  });
  const answer = () => assistant.answer(turnOf(['hi']), { journal, tools, signal: neverAborted, stillHeld });
  return { journal, answer };
}

const call = (name: string, args: Record<string, unknown>) => ({ toolCalls: [{ name, arguments: args }] });
const result = (journal: MemoryJournal, position: number): Json => {
  const step = journal.stored.get(position);
  return step?.kind === 'tool' ? step.result : null;
};

it('gives the stored result once, whatever the arguments say now, and runs again when the model insists', async () => {
  const book = new CountingTool('book');
  const { journal, answer } = setUp([book]);
  fake.next(call('book', { what: 'table 7 pm' }), { status: 500 });
  await expect(answer()).rejects.toThrow('model openai-compatible:fake-1 failed: 500');
  fake.next(call('book', { what: 'a table at 19:00' }), { text: 'booked' });
  await answer();
  expect([...book.runs.keys()]).toEqual(['b1:1']);
  expect(result(journal, 3)).toEqual({ done: 'table 7 pm', note: expect.stringContaining('Not run again') });
  expect(journal.stored.get(3)).toMatchObject({ call: { key: 'b1:1' } });
});

it('keeps standing for the first effect when it is cut off itself', async () => {
  const book = new CountingTool('book');
  const { journal, answer } = setUp([book]);
  fake.next(call('book', { what: 'table 7 pm' }), { status: 500 });
  await expect(answer()).rejects.toThrow('500');
  journal.cut = { at: journal.writes + 2, when: 'after' };
  fake.next(call('book', { what: 'a table at 19:00' }), { text: 'booked' });
  await expect(answer()).rejects.toThrow('cut');
  expect(journal.stored.get(3)).toMatchObject({ state: 'started' });
  journal.cut = null;
  await answer();
  expect([...book.runs.keys()]).toEqual(['b1:1']);
  expect(result(journal, 3)).toEqual({ done: 'table 7 pm' });
});

it('keeps standing for it when it is cut off before it began', async () => {
  const book = new CountingTool('book');
  const { journal, answer } = setUp([book]);
  fake.next(call('book', { what: 'table 7 pm' }), { status: 500 });
  await expect(answer()).rejects.toThrow('500');
  journal.cut = { at: journal.writes + 1, when: 'after' };
  fake.next(call('book', { what: 'a table at 19:00' }), { text: 'booked' });
  await expect(answer()).rejects.toThrow('cut');
  expect(journal.stored.get(3)).toBeUndefined();
  journal.cut = null;
  await answer();
  expect([...book.runs.keys()]).toEqual(['b1:1']);
  expect(journal.stored.get(3)).toMatchObject({ call: { key: 'b1:1' } });
});

it('is no repeat when it stands in one answer with the first, cut off between the two', async () => {
  const book = new CountingTool('book');
  const { journal, answer } = setUp([book]);
  const both = ['Saturday', 'Sunday'].map((what) => ({ name: 'book', arguments: { what } }));
  journal.cut = { at: 3, when: 'after' };
  fake.next({ toolCalls: both }, { text: 'both' });
  await expect(answer()).rejects.toThrow('cut');
  journal.cut = null;
  await answer();
  expect([...book.runs.keys()]).toEqual(['b1:1', 'b1:2']);
});

it('runs two calls of one attempt twice', async () => {
  const book = new CountingTool('book');
  fake.next(call('book', { what: 'Saturday' }), call('book', { what: 'Sunday' }), { text: 'both' });
  await setUp([book]).answer();
  expect([...book.runs.keys()]).toEqual(['b1:1', 'b1:3']);
});
