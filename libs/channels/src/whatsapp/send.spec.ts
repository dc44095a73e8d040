import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChannelAccount, OutgoingPart } from '#domain';
import { markRead } from './mark-read.js';
import { send } from './send.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let account: ChannelAccount;
let answer: Answer;
let calls: { url: string | undefined; auth: string | undefined; length: string | undefined; body: unknown }[];

beforeEach(async () => {
  calls = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { authorization: auth, 'content-length': length } = request.headers;
      calls.push({ url: request.url, auth, length, body: JSON.parse(Buffer.concat(chunks).toString()) });
      answer(request, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  account = {
    key: 'whatsapp:402600000000201',
    channel: 'whatsapp',
    externalId: '402600000000201',
    accessToken: 'token-1',
    appSecrets: [],
    verifyToken: null,
    apiUrl: `http://127.0.0.1:${port}/`,
    apiVersion: 'v25.0',
  };
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const reply =
  (status: number, body: unknown): Answer =>
  (_request, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
const part = (to: OutgoingPart['to'], text = 'Yes, Saturday at 3.'): OutgoingPart => ({
  to,
  threadId: null,
  text,
  tracker: 'part-1:1',
});
const toPhone = part({ kind: 'person', phone: '551155550142', userId: 'BR.7730194456120983' });

describe('send', () => {
  it('posts one text, and reads the id of the accepted message', async () => {
    answer = reply(200, { messages: [{ id: 'wamid.A' }] });
    expect(await send(account, part(toPhone.to, 'Olá 👋'), 5000)).toEqual({ kind: 'accepted', providerId: 'wamid.A' });
    const body = {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '551155550142',
      type: 'text',
      text: { body: 'Olá 👋', preview_url: false },
      biz_opaque_callback_data: 'part-1:1',
    };
    const length = String(Buffer.byteLength(JSON.stringify(body)));
    expect(calls).toEqual([{ url: '/v25.0/402600000000201/messages', auth: 'Bearer token-1', length, body }]);
  });

  it('addresses a person without a phone by the business-scoped id, and a group as a group', async () => {
    answer = reply(200, { messages: [{ id: 'wamid.A' }] });
    await send(account, part({ kind: 'person', phone: null, userId: 'BR.7730194456120983' }), 5000);
    await send(account, part({ kind: 'group', id: 'Y2FwaV9n' }), 5000);
    expect(calls.map((call) => call.body)).toMatchObject([
      { recipient_type: 'individual', recipient: 'BR.7730194456120983' },
      { recipient_type: 'group', to: 'Y2FwaV9n' },
    ]);
    expect(calls[0]?.body).not.toHaveProperty('to');
  });

  it('answers in the thread that was named, and names none otherwise', async () => {
    answer = reply(200, { messages: [{ id: 'wamid.A' }] });
    await send(account, { ...toPhone, threadId: 'invoice' }, 5000);
    await send(account, toPhone, 5000);
    expect(calls[0]?.body).toHaveProperty('thread_id', 'invoice');
    expect(calls[1]?.body).not.toHaveProperty('thread_id');
  });

  it('fails without a call when there is no address', async () => {
    const result = await send(account, part({ kind: 'person', phone: null, userId: null }), 5000);
    expect(result).toMatchObject({ kind: 'failed', error: { code: 'no-address' } });
    expect(calls).toEqual([]);
  });

  it.each<[string, Answer, object]>([
    ['the socket is cut', (request) => request.socket.destroy(), { kind: 'unknown', error: { code: 'reset' } }],
    ['nothing comes back', () => undefined, { kind: 'unknown', error: { code: 'timeout' } }],
    [
      'the answer never ends',
      (_request, response) => response.writeHead(200).write('{"messages":[{"id":'),
      { kind: 'unknown', error: { code: 'timeout' } },
    ],
    [
      'the answer is cut',
      (_request, response) =>
        response.writeHead(200, { 'content-length': 99 }).write('{"messages"', () => response.destroy()),
      { kind: 'unknown', error: { code: 'reset' } },
    ],
    ['a gateway answers', reply(503, '<html>'), { kind: 'unknown', error: { code: 'http-503' } }],
    ['the answer is empty', reply(200, ''), { kind: 'unknown', error: { code: 'http-200' } }],
    ['the pair limit is hit', reply(400, { error: { code: 131056 } }), { kind: 'retry', scope: 'person' }],
    ['it is redirected', (_q, r) => r.writeHead(307, { location: '/other' }).end(), { kind: 'channel-paused' }],
    ['it is misdirected', reply(421, ''), { kind: 'failed' }],
  ])('sends once when %s', async (_case, with_, expected) => {
    answer = with_;
    expect(await send(account, toPhone, 300)).toMatchObject(expected);
    expect(calls).toHaveLength(1);
  });

  it('may try again when no connection was made', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    for (const apiUrl of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, 'http://no-such-host.invalid']) {
      expect(await send({ ...account, apiUrl }, toPhone, 5000)).toMatchObject({ kind: 'retry', scope: 'part' });
    }
  });

  it.each([{ apiUrl: 'not an address' }, { apiUrl: 'ftp://127.0.0.1' }, { accessToken: 'secret\ntoken' }])(
    'pauses the channel for %j without a call, and never quotes the token',
    async (broken) => {
      const result = await send({ ...account, ...broken }, toPhone, 5000);
      expect(result).toMatchObject({ kind: 'channel-paused', error: { code: 'unusable' } });
      expect(JSON.stringify(result)).not.toContain('secret');
      expect(calls).toEqual([]);
    },
  );
});

describe('markRead', () => {
  it('marks a message, with typing when asked', async () => {
    answer = reply(200, { success: true });
    expect(await markRead(account, 'wamid.A', false, 5000)).toBe(true);
    expect(await markRead(account, 'wamid.A', true, 5000)).toBe(true);
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.A' };
    expect(calls.map((call) => call.body)).toEqual([read, { ...read, typing_indicator: { type: 'text' } }]);
  });

  it('is false when refused, cut or unanswered', async () => {
    for (const refusal of [
      reply(400, { error: { code: 131009 } }),
      (q: IncomingMessage) => q.socket.destroy(),
      () => undefined,
    ]) {
      answer = refusal;
      expect(await markRead(account, 'wamid.A', true, 200)).toBe(false);
    }
  });
});
