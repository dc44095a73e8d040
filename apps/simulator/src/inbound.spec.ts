import { ANA, isSigned, startWorld, text, until, valueOf, type World } from '../specs/harness.js';

let world: World;
beforeEach(async () => {
  world = await startWorld({ retry: { baseMs: 10, maxDelayMs: 1000, maxAgeMs: 60_000, maxPending: 10 } });
});
afterEach(() => world.close());

const write = (body: object) =>
  world.control<{ id: string; delivered: unknown; deliveries: unknown[] }>('messages', body);

test('signs the exact bytes, which are ASCII with lower-case escapes', async () => {
  const said = 'Café 10/12 😀';
  const { delivered } = await write({ from: `+${ANA}`, name: 'Ana Ferro', text: said, id: 'wamid.A', at: 1796040000 });
  expect(delivered).toBe(200);
  const caught = world.caught[0]!;
  expect(isSigned(caught)).toBe(true);
  expect(caught.body.toString('latin1')).toContain('Caf\\u00e9 10\\/12 \\ud83d\\ude00');
  expect(valueOf(caught)).toEqual({
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100200', phone_number_id: '402600000000201' },
    contacts: [{ profile: { name: 'Ana Ferro' }, wa_id: ANA, user_id: expect.stringMatching(/^US\./) }],
    messages: [
      {
        from: ANA,
        from_user_id: expect.stringMatching(/^US\./),
        id: 'wamid.A',
        timestamp: '1796040000',
        type: 'text',
        text: { body: said },
      },
    ],
  });
});

test('several messages of several people in one webhook, each person once', async () => {
  const messages = [
    { from: ANA, text: 'one' },
    { from: '15550100322', text: 'two' },
    { from: ANA, message: { type: 'image', image: { id: '77', mime_type: 'image/jpeg', caption: 'look' } } },
  ];
  await write({ messages, name: 'Someone' });
  const value = valueOf(world.caught[0]!);
  expect(value['contacts']).toHaveLength(2);
  expect(value['messages']).toMatchObject([
    { type: 'text' },
    { type: 'text' },
    { type: 'image', image: { caption: 'look' } },
  ]);
  expect(await world.control(`chats/${ANA}`)).toMatchObject({ entries: [{ text: 'one' }, { text: 'look' }] });
});

test('a message may belong to a thread of the chat, which both sides see', async () => {
  await write({ from: ANA, text: 'about the invoice', threadId: 'invoice' });
  expect(valueOf(world.caught[0]!)['messages']).toMatchObject([{ thread_id: 'invoice' }]);
  expect(await world.control(`chats/${ANA}`)).toMatchObject({ entries: [{ thread: 'invoice' }] });
  await world.post(text('it is on its way', { to: ANA, thread_id: 'invoice' }));
  expect(await world.control(`chats/${ANA}`)).toMatchObject({ entries: [{}, { direction: 'out', thread: 'invoice' }] });
});

test.each([
  ['omitted', {}, {}],
  ['null', { from: null }, { wa_id: null }],
  ['empty', { from: '' }, { wa_id: '' }],
  ['user-id', { from: 'BR.77' }, { wa_id: 'BR.77' }],
])('a hidden phone can be %s', async (phone, from, waId) => {
  await write({ userId: 'BR.77', name: 'Beto', text: 'oi', phone });
  const value = valueOf(world.caught[0]!);
  expect(value['messages']![0]).toEqual({
    ...from,
    from_user_id: 'BR.77',
    id: expect.any(String),
    timestamp: expect.any(String),
    type: 'text',
    text: { body: 'oi' },
  });
  expect(value['contacts']).toEqual([{ profile: { name: 'Beto' }, ...waId, user_id: 'BR.77' }]);
});

test('the shape from before user ids', async () => {
  await write({ from: ANA, text: 'hi', phone: 'old' });
  expect(valueOf(world.caught[0]!)['messages']![0]).not.toHaveProperty('from_user_id');
});

test('one webhook twenty times in parallel', async () => {
  const { deliveries } = await write({ from: ANA, text: 'hi', copies: 20 });
  expect(deliveries).toEqual(Array.from({ length: 20 }, () => 200));
  expect(new Set(world.caught.map(({ body }) => body.toString())).size).toBe(1);
});

test('repeats the identical bytes with growing delays until the answer is 200', async () => {
  world.answers.push(503, 500, 204);
  const { delivered } = await write({ from: ANA, text: 'hi' });
  expect(delivered).toBe(503);
  await until(() => world.caught.length === 4, 'four attempts');
  expect(new Set(world.caught.map(({ body }) => body.toString())).size).toBe(1);
  const times = world.caught.map(({ at }) => at);
  expect(times[3]! - times[2]!).toBeGreaterThanOrEqual(35);
  await until(
    async () => (await world.control<{ deliveries: { status: number }[] }>('webhooks')).deliveries[3]?.status === 200,
    'the last answer in the log',
  );
  expect(await world.control('webhooks')).toMatchObject({
    deliveries: [
      { status: 503, attempt: 1 },
      { status: 500 },
      { status: 204 },
      { status: 200, attempt: 4, retryAt: null },
    ],
    pendingRetries: 0,
  });
});

test('forgets retries beyond its bounds', async () => {
  await world.control('settings', { retry: { maxPending: 0 } });
  world.answers.push(503);
  await write({ from: ANA, text: 'hi' });
  expect(await world.control('webhooks')).toMatchObject({ pendingRetries: 0, dropped: 1 });
});

test('scripted duplicates, delays, and a swap of two webhooks', async () => {
  await world.control('faults', [
    { kind: 'duplicate', n: 2, textIncludes: 'double' },
    { kind: 'reorder', textIncludes: 'first' },
    { kind: 'delay', ms: 30, to: '15550100322' },
  ]);
  expect((await write({ from: ANA, text: 'double' })).deliveries).toEqual([200, 200, 200]);
  world.caught.length = 0;
  expect((await write({ from: ANA, text: 'first' })).delivered).toBe('held');
  expect((await write({ from: ANA, text: 'second' })).delivered).toBe(200);
  expect((await write({ from: '15550100322', text: 'later' })).delivered).toBe('delayed');
  await until(() => world.caught.length === 3, 'three webhooks');
  const texts = world.caught.map((caught) => valueOf(caught)['messages']![0]!['text']!['body']);
  expect(texts).toEqual(['second', 'first', 'later']);
});

test('posts a raw body byte for byte, with the right signature, another one, or none', async () => {
  const body = '{"object": "whatsapp_business_account", "odd": "\\u00E9 é"}';
  await world.control('raw', { body });
  await world.control('raw', { body, signature: 'sha256=00' });
  await world.control('raw', { body, signature: null });
  expect(world.caught.map((caught) => caught.body.toString())).toEqual([body, body, body]);
  expect(world.caught.map((caught) => isSigned(caught))).toEqual([true, false, false]);
  expect(world.caught[2]!.headers).not.toHaveProperty('x-hub-signature-256');
});

test('a message in a raw body opens the service window of its sender', async () => {
  await write({ from: ANA, text: 'sample' });
  const sample = world.caught[0]!.body.toString();
  const replayed = sample.replaceAll(ANA, '15550100399').replaceAll('US.', 'US.9').replace('wamid.', 'wamid.X');
  const send = { messaging_product: 'whatsapp', to: '15550100399', type: 'text', text: { body: 'hello' } };
  expect((await world.post(send)).json['error']).toMatchObject({ code: 131047 });
  await world.control('raw', { body: replayed });
  expect((await world.post(send)).status).toBe(200);
});

test('the control API refuses pages from elsewhere, and says what is wrong with a request', async () => {
  const foreign = { method: 'POST', headers: { origin: 'https://evil.example' }, body: '{"from":"1555","text":"x"}' };
  expect((await fetch(`${world.url}/control/messages`, foreign)).status).toBe(403);
  await expect(write({ text: 'nobody' })).rejects.toThrow('from or userId is required');
  await expect(write({ account: 'none', from: ANA, text: 'hi' })).rejects.toThrow('404');
  expect(JSON.stringify(await world.control('accounts'))).not.toMatch(/secret-1|token-1/);
});
