import type { AssistantOptions } from './create-assistant.js';
import { createAssistant } from './create-assistant.js';
import { MemoryJournal, neverAborted, stillHeld, turnOf } from './spec-kit.js';

const base = { modelTimeoutMs: 1000, toolTimeoutMs: 1000, partLength: () => 4096 };

/** Fails like a network that is down, and keeps what would have been sent. */
function recorder() {
  const sent: { url: string; body: string; redirect: string | undefined }[] = [];
  const fetch = (url: unknown, init?: RequestInit) => {
    sent.push({ url: String(url), body: String(init?.body), redirect: init?.redirect });
    return Promise.reject(new TypeError('no network'));
  };
  return { sent, fetch };
}

it.each<[Partial<AssistantOptions> & { model: string }, RegExp]>([
  [{ model: 'openai:gpt-x' }, /OPENAI_API_KEY/],
  [{ model: 'openai-compatible:x' }, /OPENAI_BASE_URL/],
  [{ model: 'anthropic:x' }, /ANTHROPIC_API_KEY/],
  [{ model: 'google:x' }, /GOOGLE_GENERATIVE_AI_API_KEY/],
  [{ model: 'http', http: { url: 'http://127.0.0.1:1' } }, /ASSISTANT_SECRET/],
  [{ model: 'http', http: { url: 'file:///etc/hosts', secret: 's' } }, /http or https/],
  [{ model: 'other:x' }, /known are/],
  [{ model: 'gpt-x' }, /provider:model/],
])('refuses %j at boot', (options, error) => {
  expect(() => createAssistant({ ...base, ...options })).toThrow(error);
});

it.each([
  ['openai:o3', { openai: { apiKey: 'k' } }, '/v1/responses'],
  ['openai:gpt-x', { openai: { apiKey: 'k', baseURL: 'http://own/v1' } }, 'http://own/v1/chat/completions'],
  ['openai-compatible:llama3:8b', { openai: { baseURL: 'http://own/v1' } }, 'http://own/v1/chat/completions'],
  ['anthropic:claude-x', { anthropic: { apiKey: 'k' } }, '/v1/messages'],
  ['google:gemini-x', { google: { apiKey: 'k' } }, 'gemini-x:generateContent'],
])('speaks to %s as its provider does, following no redirect', async (model, access, url) => {
  const { sent, fetch } = recorder();
  const assistant = createAssistant({ ...base, ...access, model, fetch });
  const run = { journal: new MemoryJournal(), tools: [], signal: neverAborted, stillHeld };
  await expect(assistant.answer(turnOf(['hi', 'there?']), run)).rejects.toThrow(`model ${model} failed`);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.url).toContain(url);
  expect(sent[0]?.redirect).toBe('error');
  expect(sent[0]?.body).toMatch(/hi.*there\?/s);
  // Their copy of the answer is not what a later attempt relies on.
  if (url === '/v1/responses') expect(JSON.parse(sent[0]?.body ?? '{}')).toMatchObject({ store: false });
});
