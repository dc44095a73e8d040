import { startFakeAssistant, type FakeAssistant } from '#testing';
import { createHmac } from 'node:crypto';
import { createAssistant } from './create-assistant.js';
import { MemoryJournal, neverAborted, stillHeld, turnOf } from './spec-kit.js';

let fake: FakeAssistant;
beforeEach(async () => {
  fake = await startFakeAssistant();
});
afterEach(() => fake.close());

function setUp(changes: { modelTimeoutMs?: number; url?: string } = {}) {
  const journal = new MemoryJournal();
  const assistant = createAssistant({
    model: 'http',
    http: { url: changes.url ?? fake.url, secret: 'quiet' },
    modelTimeoutMs: changes.modelTimeoutMs ?? 5000,
    toolTimeoutMs: 1000,
    partLength: () => 20,
  });
  const turn = turnOf(['hi', 'Saturday?'], { history: [{ role: 'operator', text: 'hello', at: 5 }] });
  return { journal, answer: () => assistant.answer(turn, { journal, tools: [], signal: neverAborted, stillHeld }) };
}

it('posts the turn of the contract, signed over the raw body', async () => {
  await setUp().answer();
  const { http } = fake.requests[0]!;
  const hmac = createHmac('sha256', 'quiet').update(http.rawBody).digest('hex');
  expect(http.headers).toMatchObject({ 'x-oneturn-signature': `sha256=${hmac}`, 'idempotency-key': 'b1' });
  expect(http.body).toEqual({
    tenant: 'salon',
    account: { channel: 'whatsapp', externalId: '111' },
    conversation: { id: 'c1', threadId: 't1', contact: { name: 'Ada', aliases: [{ kind: 'phone', value: '491511' }] } },
    batch: { id: 'b1', attempt: 1 },
    message: { id: 'm2', type: 'text', text: 'Saturday?', at: 1000 },
    skipped: [{ id: 'm1', type: 'text', text: 'hi', at: 0 }],
    totalSinceLastHandler: 2,
    messages: [
      { id: 'm1', type: 'text', text: 'hi', at: 0 },
      { id: 'm2', type: 'text', text: 'Saturday?', at: 1000 },
    ],
    history: [{ role: 'operator', text: 'hello', at: 5 }],
  });
});

it.each([
  [{ parts: ['one\n\ntwo', 'three'] }, { kind: 'reply', parts: ['one\n\ntwo', 'three'] }],
  [{ parts: ['This is too long. It is cut.'] }, { kind: 'reply', parts: ['This is too long.', 'It is cut.'] }],
  [{ silent: true as const }, { kind: 'silent' }],
  [{ review: 'a refund' }, { kind: 'review', why: 'a refund' }],
])('understands %j', async (said, expected) => {
  fake.next(said);
  expect(await setUp().answer()).toEqual(expected);
});

it.each([
  [{ status: 500, body: 'out of order' }, /answered 500: out of order/],
  [{ status: 201, body: { parts: ['x'] } }, /answered 201/],
  [{ status: 200, body: 'no json' }, /answered 200: no json/],
  [{ status: 200, body: { parts: [] } }, /answered 200/],
  [{ status: 200, body: { parts: [' '] } }, /answered 200/],
  [{ status: 200, body: 'x'.repeat(1024 * 1024 + 1) }, /longer than/],
  [{ status: 302 }, /redirects are not followed/],
  [{ fault: 'cut' as const }, /could not be asked/],
])('fails the attempt on %.60j, and asks again next time', async (said, error) => {
  const { journal, answer } = setUp();
  fake.next(said);
  await expect(answer()).rejects.toThrow(error);
  expect(journal.stored.size).toBe(0);
  await expect(answer()).resolves.toMatchObject({ kind: 'reply' });
});

it('does not ask again once an answer is journaled', async () => {
  const { journal, answer } = setUp();
  journal.cut = { at: 1, when: 'after' };
  await expect(answer()).rejects.toThrow('cut');
  journal.cut = null;
  await expect(answer()).resolves.toMatchObject({ kind: 'reply' });
  expect(fake.requests).toHaveLength(1);
});

it('gives up on a slow service', async () => {
  fake.next({ fault: 'hang' });
  await expect(setUp({ modelTimeoutMs: 50 }).answer()).rejects.toThrow('did not answer within 50 ms');
});
