import { ANA, startWorld, statusesOf, text, until, valueOf, type World } from '../specs/harness.js';

let world: World;
beforeEach(async () => {
  world = await startWorld();
  await world.control('messages', { from: ANA, text: 'hi' });
  world.caught.length = 0;
});
afterEach(() => world.close());

const log = () => world.control<{ text: string; accepted: boolean; status: unknown; fault: string[] }[]>('log');
const fault = (script: object) => world.control('faults', script);

test('503 twice for the second part: the sequence 1, 2, 2, 2, 3', async () => {
  await fault({ kind: 'http', status: 503, body: 'upstream connect error', to: ANA, textIncludes: 'part 2', times: 2 });
  for (const part of ['part 1', 'part 2', 'part 2', 'part 2', 'part 3']) await world.post(text(part));
  expect((await log()).map(({ status }) => status)).toEqual([200, 503, 503, 200, 200]);
  expect(await world.control('faults')).toMatchObject([{ kind: 'http', struck: 2, matched: 2 }]);
  const { entries } = await world.control<{ entries: { text: string }[] }>(`chats/${ANA}`);
  expect(entries.map((entry) => entry.text)).toEqual(['hi', 'part 1', 'part 2', 'part 3']);
});

test('an error code comes in the shape of Graph errors', async () => {
  await fault([
    { kind: 'error', code: 131056 },
    { kind: 'error', code: 2, isTransient: true, http: 500 },
  ]);
  expect((await world.post(text('a'))).json['error']).toMatchObject({
    code: 131056,
    message: expect.stringContaining('pair rate'),
  });
  const second = await world.post(text('b'));
  expect(second.status).toBe(500);
  expect(second.json['error']).toMatchObject({ code: 2, is_transient: true });
  expect((await world.post(text('c'))).status).toBe(200);
});

test('a socket cut before acceptance leaves nothing behind', async () => {
  await fault({ kind: 'cut-before' });
  await expect(world.post(text('lost'))).rejects.toThrow('fetch failed');
  expect(await log()).toMatchObject([{ text: 'lost', accepted: false, status: 'cut', fault: ['cut-before'] }]);
  expect(await world.control(`chats/${ANA}`)).toMatchObject({ entries: [{ text: 'hi' }] });
});

test('a socket cut after acceptance: one visible copy, statuses with the tracker follow', async () => {
  await fault({ kind: 'cut-after' });
  await expect(world.post(text('there', { biz_opaque_callback_data: 'p1' }))).rejects.toThrow('fetch failed');
  await until(() => world.caught.length === 3, 'three statuses');
  expect(valueOf(world.caught[0]!)['statuses']![0]).toMatchObject({ status: 'sent', biz_opaque_callback_data: 'p1' });
  expect(await log()).toMatchObject([{ accepted: true, status: 'cut', wamid: expect.any(String) }]);
  expect(await world.control(`chats/${ANA}`)).toMatchObject({ entries: [{ text: 'hi' }, { text: 'there' }] });
});

test('a socket cut after acceptance without any status', async () => {
  await fault({ kind: 'cut-after', statuses: 'none' });
  await expect(world.post(text('there'))).rejects.toThrow('fetch failed');
  await world.post(text('next'));
  await until(() => world.caught.length === 3, 'the statuses of the next one');
  expect(new Set(world.caught.map((caught) => String(valueOf(caught)['statuses']![0]!['id']))).size).toBe(1);
});

test('statuses in a scripted order, doubled, and without tracker', async () => {
  const statuses = [
    { status: 'read', afterMs: 0, times: 2 },
    { status: 'failed', afterMs: 1, code: 131026 },
    { status: 'sent', afterMs: 2, tracker: false },
  ];
  await fault({ kind: 'statuses', statuses });
  await world.post(text('a', { biz_opaque_callback_data: 'p1' }));
  await until(() => world.caught.length === 4, 'four statuses');
  expect(statusesOf(world.caught)).toEqual(['read', 'read', 'failed', 'sent']);
  expect(valueOf(world.caught[2]!)['statuses']![0]).toMatchObject({ errors: [{ code: 131026 }] });
  expect(valueOf(world.caught[3]!)['statuses']![0]).not.toHaveProperty('biz_opaque_callback_data');
  expect(await world.control(`chats/${ANA}`)).toMatchObject({ entries: [{}, { tick: 'read' }] });
});

test('a status can arrive before the answer of the send', async () => {
  await fault({ kind: 'early-status', holdMs: 50, statuses: 'none' });
  const { json } = await world.post(text('a'));
  const answeredAt = Date.now();
  expect(valueOf(world.caught[0]!)['statuses']![0]).toMatchObject({ status: 'sent', id: json['messages']![0]!['id'] });
  expect(answeredAt - world.caught[0]!.at).toBeGreaterThanOrEqual(45);
});

test('accepted, then failed', async () => {
  await fault({ kind: 'failed-later', code: 131047, afterMs: 0 });
  expect((await world.post(text('a'))).status).toBe(200);
  await until(() => world.caught.length === 1, 'the failure');
  expect(valueOf(world.caught[0]!)).not.toHaveProperty('contacts');
  expect(valueOf(world.caught[0]!)['statuses']![0]).toMatchObject({ status: 'failed', errors: [{ code: 131047 }] });
});

test('latency before acceptance: a caller that gives up does not know that the message went out', async () => {
  await fault({ kind: 'latency', ms: 80 });
  const call = fetch(`${world.url}/v23.0/402600000000201/messages`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-1' },
    body: JSON.stringify(text('slow')),
    signal: AbortSignal.timeout(20),
  });
  await expect(call).rejects.toThrow('timeout');
  expect(await log()).toMatchObject([{ accepted: false, status: null, fault: ['latency'] }]);
  await until(async () => (await log())[0]!.accepted, 'acceptance after the caller left');
});

test('skip lets the first ones pass, `read` faults leave sends alone, and DELETE ends it', async () => {
  await fault([
    { kind: 'error', code: 131000, skip: 1, times: 'always' },
    { kind: 'error', code: 4, on: 'read' },
  ]);
  expect((await world.post(text('a'))).status).toBe(200);
  expect((await world.post(text('b'))).status).toBe(500);
  const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.x' };
  expect((await world.post(read)).json['error']).toMatchObject({ code: 4 });
  await world.control('faults', undefined, 'DELETE');
  expect((await world.post(text('c'))).status).toBe(200);
  expect(await world.control('faults')).toEqual([]);
});

test('refuses a script that it does not understand', async () => {
  await expect(fault({ kind: 'explode' })).rejects.toThrow('400');
  await expect(fault({ kind: 'latency', ms: 5, texIncludes: 'typo' })).rejects.toThrow('400');
});
