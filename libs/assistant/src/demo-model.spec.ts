import type { Tool } from '#domain';
import { createAssistant } from './create-assistant.js';
import { handToPersonTool } from './hand-to-person-tool.js';
import { openingHoursTool } from './opening-hours-tool.js';
import { CountingTool, MemoryJournal, neverAborted, stillHeld, turnOf } from './spec-kit.js';

const assistant = createAssistant({ model: 'demo', modelTimeoutMs: 1000, toolTimeoutMs: 1000, partLength: () => 4096 });

const tool = (name: string, properties: string[]): CountingTool =>
  Object.assign(new CountingTool(name), {
    parameters: {
      type: 'object',
      properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
      required: properties,
    },
  });

async function demo(texts: string[], tools: Tool[] = [], history: string[] = []) {
  const turn = turnOf(texts, { history: history.map((text, at) => ({ role: 'customer', text, at })) });
  return assistant.answer(turn, { journal: new MemoryJournal(), tools, signal: neverAborted, stillHeld });
}

it('answers a burst once, about every message, with the opening hours', async () => {
  const burst = ['hi', 'quick question', 'do you have anything Saturday?'];
  const answer = await demo(burst, [openingHoursTool()]);
  expect(answer).toEqual({
    kind: 'reply',
    parts: [
      'Hello! I got your 3 messages: “hi”, “quick question”, “do you have anything Saturday?”.',
      'Our opening hours: Saturday 10:00–14:00. Shall I hold a time for you? Just tell me when.',
    ],
  });
  expect(await demo(burst, [openingHoursTool()])).toEqual(answer);
});

it('answers only what is new', async () => {
  expect(JSON.stringify(await demo(['hi'], [], ['I need a human']))).not.toContain('human');
});

it('holds an appointment on the next such day, once', async () => {
  const hold = tool('hold_appointment', ['when', 'what']);
  const answer = await demo(['please book me in', 'Saturday at 3pm'], [hold]);
  expect([...hold.runs.values()]).toEqual([
    [{ when: '2026-03-07T15:00:00Z', what: 'please book me in\nSaturday at 3pm' }],
  ]);
  expect(answer).toMatchObject({ kind: 'reply', parts: [expect.any(String), expect.stringContaining('holding')] });
});

it('takes a note and looks up the hours in one turn', async () => {
  const note = tool('add_note', ['text']);
  const answer = await demo(['remember that I am allergic', 'are you open today?'], [note, openingHoursTool()]);
  expect([...note.runs.values()]).toEqual([[{ text: 'remember that I am allergic' }]]);
  expect(answer).toMatchObject({
    parts: [expect.any(String), expect.stringContaining('noted'), expect.stringContaining('Wednesday')],
  });
});

it.each(['I want to talk to a person', 'human please'])('hands over on "%s"', async (text) => {
  expect(await demo([text], [handToPersonTool])).toEqual({ kind: 'review', why: expect.stringContaining(text) });
});

it.each([
  ['three parts please', 3],
  ['one part', 1],
  ['7 parts', 7],
])('gives as many parts as "%s" asks for', async (text, count) => {
  expect(await demo([text])).toMatchObject({ kind: 'reply', parts: { length: count } });
});
