import { startFakeAssistant } from './fake-assistant.js';
import { startFakeModel, textsOf } from './fake-model.js';

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(body) });
const ask = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

test('the fake model follows its script, then its standing answer, and logs what it was told', async () => {
  const model = await startFakeModel();
  try {
    model.next({ status: 429 }, { toolCalls: [{ name: 'hold', arguments: { day: 'Saturday' } }] });
    model.always((_, index) => ({ text: `answer ${index}` }));
    const url = `${model.baseUrl}/chat/completions`;
    expect((await post(url, ask)).status).toBe(429);
    expect(await (await post(url, ask)).json()).toMatchObject({
      choices: [
        { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { arguments: '{"day":"Saturday"}' } }] } },
      ],
    });
    expect(await (await post(url, ask)).json()).toMatchObject({ choices: [{ message: { content: 'answer 2' } }] });
    expect(model.requests.map((request) => textsOf(request, 'user'))).toEqual([['hi'], ['hi'], ['hi']]);
  } finally {
    await model.close();
  }
});

test('a cut answer fails at the caller, and the request stays in the log', async () => {
  const assistant = await startFakeAssistant();
  try {
    assistant.always({ fault: 'cut' });
    await expect(post(assistant.url, { messages: [] })).rejects.toThrow();
    expect(await assistant.received(1)).toHaveLength(1);
  } finally {
    await assistant.close();
  }
});

test('the fake assistant answers with the texts of the batch unless told otherwise', async () => {
  const assistant = await startFakeAssistant();
  try {
    assistant.next({ review: 'a person should look' });
    const turn = { messages: [{ text: 'hi' }, { text: 'Saturday?' }] };
    expect(await (await post(assistant.url, turn)).json()).toEqual({ review: 'a person should look' });
    expect(await (await post(assistant.url, turn)).json()).toEqual({ parts: ['You said: hi / Saturday?'] });
  } finally {
    await assistant.close();
  }
});
