import { ANA, isSigned, startWorld, statusesOf, text, until, valueOf, type World } from '../specs/harness.js';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

async function answer(body: object) {
  const { status, json } = await world.post(body);
  expect(status).toBe(200);
  return json;
}

test('answers with input, wa_id and user id, and tells sent, delivered and read with the tracker', async () => {
  await world.control('messages', { from: ANA, text: 'hi' });
  world.caught.length = 0;
  const json = await answer(text('hello', { to: `+${ANA}`, biz_opaque_callback_data: 'part-1:1' }));
  expect(json).toEqual({
    messaging_product: 'whatsapp',
    contacts: [{ input: `+${ANA}`, wa_id: ANA, user_id: expect.stringMatching(/^US\.\d+$/) }],
    messages: [{ id: expect.stringMatching(/^wamid\.HBgL/) }],
  });
  await until(() => world.caught.length === 3, 'three statuses');
  expect(statusesOf(world.caught)).toEqual(['sent', 'delivered', 'read']);
  expect(world.caught.every((caught) => isSigned(caught))).toBe(true);
  const value = valueOf(world.caught[1]!);
  expect(value).toMatchObject({ messaging_product: 'whatsapp', metadata: { phone_number_id: '402600000000201' } });
  expect(value['contacts']).toHaveLength(1);
  expect(value['statuses']![0]).toMatchObject({
    id: json['messages']![0]!['id'],
    timestamp: expect.stringMatching(/^\d{10}$/),
    recipient_id: ANA,
    biz_opaque_callback_data: 'part-1:1',
    pricing: { pricing_model: 'PMP' },
  });
  const chat = await world.control<{ entries: unknown[] }>(`chats/${ANA}`);
  expect(chat.entries).toMatchObject([
    { direction: 'in', text: 'hi' },
    { direction: 'out', text: 'hello', tick: 'read', tracker: 'part-1:1' },
  ]);
});

test('answers a send to a user id without a phone, in the answer and in the statuses', async () => {
  await world.control('messages', { userId: 'BR.7730194456120983', name: 'Beto', text: 'oi' });
  world.caught.length = 0;
  const json = await answer(text('oi!', { to: undefined, recipient: 'BR.7730194456120983' }));
  expect(json['contacts']).toEqual([{ input: 'BR.7730194456120983', user_id: 'BR.7730194456120983' }]);
  await until(() => world.caught.length === 3, 'three statuses');
  const status = valueOf(world.caught[0]!)['statuses']![0];
  expect(status).toMatchObject({ recipient_user_id: 'BR.7730194456120983' });
  expect(status).not.toHaveProperty('recipient_id');
});

test('lets `to` win over `recipient`', async () => {
  await world.control('messages', { from: ANA, text: 'hi' });
  const json = await answer(text('hello', { recipient: 'BR.1' }));
  expect(json['contacts']![0]).toMatchObject({ input: ANA, wa_id: ANA });
});

test('knows an older Brazilian account without the ninth digit', async () => {
  await world.control('messages', { from: '551155550142', text: 'oi' });
  const json = await answer(text('oi!', { to: '+5511955550142' }));
  expect(json['contacts']![0]).toMatchObject({ input: '+5511955550142', wa_id: '551155550142' });
});

test('sends into a group that wrote', async () => {
  await world.control('messages', { from: ANA, groupId: 'group-1', text: 'who is coming?' });
  world.caught.length = 0;
  const json = await answer(text('we are', { recipient_type: 'group', to: 'group-1' }));
  expect(json['contacts']).toEqual([{ input: 'group-1' }]);
  await until(() => world.caught.length === 3, 'three statuses');
  expect(valueOf(world.caught[0]!)['statuses']![0]).toMatchObject({ recipient_id: 'group-1', recipient_type: 'group' });
});

test('shows read marks and typing until the next message', async () => {
  await world.control('messages', { from: ANA, text: 'one' });
  const { id } = await world.control<{ id: string }>('messages', { from: ANA, text: 'two' });
  await answer({ messaging_product: 'whatsapp', status: 'read', message_id: id, typing_indicator: { type: 'text' } });
  const chat = await world.control<{ typingMs: number; entries: unknown[] }>(`chats/${ANA}`);
  expect(chat.typingMs).toBeGreaterThan(20_000);
  expect(chat.entries).toMatchObject([{ read: true }, { read: true }]);
  await answer(text('hello'));
  expect(await world.control(`chats/${ANA}`)).toMatchObject({ typingMs: 0 });
});

test('a repeated POST is a second copy, and the log has every call in order', async () => {
  await world.control('messages', { from: ANA, text: 'hi' });
  await answer(text('hello', { biz_opaque_callback_data: 'p1' }));
  await answer(text('hello', { biz_opaque_callback_data: 'p1' }));
  await world.post(text('x'.repeat(5000)));
  await world.post(text('hi'), 'wrong');
  const log = await world.control<object[]>(`log?to=%2B${ANA}&kind=send`);
  expect(log).toMatchObject([
    { text: 'hello', tracker: 'p1', accepted: true, status: 200, wamid: expect.any(String), fault: [] },
    { text: 'hello', tracker: 'p1', accepted: true, status: 200 },
    { accepted: false, error: 100, status: 400, wamid: null },
    { accepted: false, error: 190, status: 401 },
  ]);
  await world.control('log', undefined, 'DELETE');
  expect(await world.control('log')).toEqual([]);
});

test('keeps several numbers apart, each with its own token and secret', async () => {
  const second = { phoneNumberId: '888', accessToken: 'token-2', appSecret: 'secret-2' };
  await world.control('accounts', second);
  await world.control('messages', { account: '888', from: ANA, text: 'hi' });
  expect(isSigned(world.caught[0]!, 'secret-2')).toBe(true);
  expect(valueOf(world.caught[0]!)['metadata']).toMatchObject({ phone_number_id: '888' });
  // Ana's window is open on the second number only.
  expect((await world.post(text('hi'))).json['error']).toMatchObject({ code: 131047 });
  expect((await world.post(text('hi'), 'token-2', '888')).status).toBe(200);
});
