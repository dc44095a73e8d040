import { ANA, startWorld, text, TOKEN, type World } from '../specs/harness.js';

let world: World;
const read = (id: string, more: object = {}) => ({
  messaging_product: 'whatsapp',
  status: 'read',
  message_id: id,
  ...more,
});

beforeAll(async () => {
  world = await startWorld({ pairLimit: { burst: 3, refillMs: 6000 } });
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.control('clock', { offsetMs: 0 });
  await world.control('messages', { from: ANA, text: 'hi' });
});

const malformed: [string, unknown, string][] = [
  ['no JSON', '{"messaging_product":', 'not valid JSON'],
  ['a text longer than 4096 characters', text('x'.repeat(4097)), 'at most 4096 characters'],
  ['an empty text', text(''), 'must not be empty'],
  ['a text of blanks', text(' \n'), 'must not be empty'],
  ['a text that is a number', text('', { text: { body: 5 } }), 'must be a string'],
  ['no text', text('', { text: undefined }), 'text is required'],
  ['a text that is a string', text('', { text: 'hi' }), 'must be an object'],
  ['an unknown field', text('hi', { idempotency_key: 'x' }), 'Unexpected key "idempotency_key"'],
  ['an unknown field in text', text('hi', { text: { body: 'hi', markdown: true } }), 'Unexpected key "markdown"'],
  ['a preview_url that is a string', text('hi', { text: { body: 'hi', preview_url: 'yes' } }), 'must be a boolean'],
  ['no messaging_product', text('hi', { messaging_product: undefined }), 'messaging_product is required'],
  ['no recipient', text('hi', { to: undefined }), 'to is required'],
  ['a recipient that is a number', text('hi', { to: 15550100311 }), 'to must be a string'],
  ['an unknown recipient_type', text('hi', { recipient_type: 'channel' }), 'recipient_type'],
  ['an unknown type', text('hi', { type: 'poll' }), 'type must be one of'],
  ['callback data over 512 characters', text('hi', { biz_opaque_callback_data: 'x'.repeat(513) }), 'at most 512'],
  ['callback data that is no string', text('hi', { biz_opaque_callback_data: { part: 1 } }), 'must be a string'],
  ['a context without message_id', text('hi', { context: {} }), 'is required'],
  [
    'a caption over 1024 characters',
    text('', { type: 'image', text: undefined, image: { id: '1', caption: 'x'.repeat(1025) } }),
    'at most 1024',
  ],
  ['an unknown typing indicator', read('wamid.x', { typing_indicator: { type: 'voice' } }), 'typing_indicator'],
  ['a status other than read', read('wamid.x', { status: 'delivered' }), 'status must be one of'],
];

test.each(malformed)('refuses %s with code 100', async (_name, body, message) => {
  const { status, json } = await world.post(body);
  expect(status).toBe(400);
  expect(json['error']).toMatchObject({ code: 100, type: 'OAuthException', fbtrace_id: expect.any(String) });
  expect(json['error']!['message']).toContain(message);
});

test('takes a text of exactly 4096 characters, counted as people do, and 512 of callback data', async () => {
  const { status } = await world.post(text('😀'.repeat(4096), { biz_opaque_callback_data: 'x'.repeat(512) }));
  expect(status).toBe(200);
});

test('refuses a wrong and a missing token with 190', async () => {
  for (const token of ['wrong', null]) {
    const { status, json } = await world.post(text('hi'), token);
    expect(status).toBe(401);
    expect(json['error']).toMatchObject({ code: 190, error_subcode: 463 });
  }
});

test('refuses an unknown number, and the token of another number, with 100 / 33', async () => {
  expect((await world.post(text('hi'), TOKEN, '999')).json['error']).toMatchObject({ code: 100, error_subcode: 33 });
  await world.control('accounts', { phoneNumberId: '888', accessToken: 'token-2', appSecret: 'secret-2' });
  expect((await world.post(text('hi'), TOKEN, '888')).json['error']).toMatchObject({ code: 100, error_subcode: 33 });
});

test('refuses a recipient that is no phone number with 131009', async () => {
  expect((await world.post(text('hi', { to: 'Ana' }))).json['error']).toMatchObject({ code: 131009 });
});

test('refuses free text 24 hours after the provider time of the last message, and to strangers, with 131047', async () => {
  const at = Math.floor(Date.now() / 1000);
  await world.control('messages', { from: '15550100400', text: 'old', at: at - 86_390 });
  await world.control('messages', { from: '15550100400', text: 'older, delivered late', at: at - 90_000 });
  expect((await world.post(text('in time', { to: '15550100400' }))).status).toBe(200);
  await world.control('clock', { offsetMs: 11_000 });
  const { status, json } = await world.post(text('too late', { to: '15550100400' }));
  expect(status).toBe(400);
  expect(json['error']).toMatchObject({ code: 131047, error_data: { messaging_product: 'whatsapp' } });
  expect((await world.post(text('hi', { to: '15550100401' }))).json['error']).toMatchObject({ code: 131047 });
});

test('takes a template outside the window', async () => {
  const template = { name: 'reminder', language: { code: 'en' } };
  const { status } = await world.post(text('', { to: '15550100402', type: 'template', text: undefined, template }));
  expect(status).toBe(200);
});

test('refuses what goes beyond the pair limit with 131056, for that pair only, until the bucket refills', async () => {
  await world.control('messages', {
    messages: [
      { from: '15550100500', text: 'a' },
      { from: '15550100501', text: 'b' },
    ],
  });
  const to = '15550100500';
  for (let i = 0; i < 3; i += 1) expect((await world.post(text(`part ${i}`, { to }))).status).toBe(200);
  expect((await world.post(text('part 3', { to }))).json['error']).toMatchObject({ code: 131056 });
  expect((await world.post(text('part 0', { to: '15550100501' }))).status).toBe(200);
  await world.control('clock', { offsetMs: 6001 });
  expect((await world.post(text('part 3', { to }))).status).toBe(200);
  expect((await world.post(text('part 4', { to }))).json['error']).toMatchObject({ code: 131056 });
});

test('refuses to mark a message read that it does not know, or that is older than 30 days, with 131009', async () => {
  expect((await world.post(read('wamid.unknown'))).json['error']).toMatchObject({ code: 131009 });
  const { id } = await world.control<{ id: string }>('messages', { from: ANA, text: 'hello' });
  expect((await world.post(read(id))).json).toEqual({ success: true });
  await world.control('clock', { offsetMs: 30 * 86_400_000 + 5000 });
  expect((await world.post(read(id))).json['error']).toMatchObject({ code: 131009 });
});
