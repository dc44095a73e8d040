import { startService, testDatabase, withConnection, type RunningService, type TestDatabase } from '#testing';

const TOKEN = 'a-long-random-text';

let database: TestDatabase;
let app: RunningService;

const sql = (text: string) => withConnection(database.url, (client) => client.query(text));
const start = (settings: Record<string, string>): Promise<RunningService> =>
  startService('console', { DATABASE_URL: database.url, LOG_LEVEL: 'warn', ...settings });

beforeAll(async () => {
  database = await testDatabase();
  await sql(`
    INSERT INTO tenant (name) VALUES ('Salon');
    INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
      VALUES (1, 'whatsapp:1', 'whatsapp', '1', 'very-secret', '{also-secret}', 'http://127.0.0.1', 'v1');
    INSERT INTO conversation (account_id, lock_key, name, phone, last_inbound_at)
      SELECT 1, 'person:' || n, (ARRAY['Anna Ek', 'Bo 100%', 'Cleo'])[n], '4670000000' || n, oneturn_now() + n * interval '1 ms' FROM generate_series(1, 3) n;
    INSERT INTO contact_alias (account_id, kind, value, conversation_id) SELECT 1, 'phone', phone, id FROM conversation;
    INSERT INTO batch (conversation_id, thread, state, first_at, last_at, due_at, finished_at, attempts)
      SELECT 1, 'main', 'review', n, n, n, n, 4 FROM oneturn_now() n;
    INSERT INTO turn (batch_id, attempt, fence, holder, started_at, outcome) VALUES (1, 1, 1, 'w', now(), 'failed'), (1, 2, 2, 'w', now(), 'failed');
    INSERT INTO model_step (batch_id, position, fence, kind, call, state, started_at)
      VALUES (1, 0, 1, 'tool', '{"name": "opening_hours"}', 'started', now());
    INSERT INTO event (account_key, external_id, kind, arrived_at, arrival_process, arrival_group, arrival_index, content_hash, raw, parsed,
        conversation_id, thread, batch_id, routed_at, outcome)
      SELECT 'whatsapp:1', 'wamid.' || n, (ARRAY['message', 'edit', 'reaction'])[n], oneturn_now(), 'p', 1, 1, '', '',
        (ARRAY['{"speech": {"type": "text", "text": "hi"}}', '{"targetId": "wamid.1", "speech": {"type": "text", "text": "hello"}}',
          '{"targetId": "wamid.1", "emoji": "x"}'])[n]::jsonb, 1, 'main', CASE n WHEN 1 THEN 1 END, now(),
        (ARRAY['in_batch', 'applied', 'ignored'])[n] FROM generate_series(1, 3) n;
    INSERT INTO review (subject, reason, account_id, conversation_id, batch_id, opened_at)
      VALUES ('batch:1', 'turn-failed', 1, 1, 1, now()), ('account:1', 'channel-paused', 1, NULL, NULL, now());`);
  app = await start({ CONSOLE_API_TOKEN: TOKEN });
});

afterAll(async () => {
  await app.kill();
  await database.drop();
});

async function call(path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('who may call', () => {
  const statusOf = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> =>
    (await fetch(`${app.url}${path}`, { headers, method })).status;

  it('nobody without the token, on whatever route and however it is spelled', async () => {
    for (const path of [
      '/api/ledger',
      '/%61pi/ledger',
      '/api/docs',
      '/api/docs-json',
      '/queues',
      '/queues/api/queues',
      '/api/nothing',
    ]) {
      expect([path, await statusOf(path)]).toEqual([path, 401]);
    }
    expect(await statusOf('/api/ledger', { authorization: 'Bearer wrong' })).toBe(401);
    for (const path of ['/', '/health/live', '/metrics']) expect(await statusOf(path)).toBe(200);
  });

  it('everybody with it, browsers as a password, but not from pages of others', async () => {
    const basic = { authorization: `Basic ${Buffer.from(`me:${TOKEN}`).toString('base64')}` };
    for (const path of ['/api/docs', '/api/docs-json', '/queues', '/queues/api/queues', '/api/conversations']) {
      expect([path, await statusOf(path, basic)]).toEqual([path, 200]);
    }
    expect(await statusOf('/api/reviews/1/resolve', { ...basic, origin: 'http://elsewhere.example' }, 'POST')).toBe(
      403,
    );
  });

  it('without a token this machine alone: another HOST is refused, and so are foreign names and pages', async () => {
    await expect(start({ HOST: '0.0.0.0' })).rejects.toThrow(/CONSOLE_API_TOKEN, so it listens on loopback only/);
    const open = await start({});
    try {
      expect((await fetch(`${open.url}/api/ledger`)).status).toBe(200);
      const headers = { origin: 'http://elsewhere.example' };
      expect((await fetch(`${open.url}/api/conversations/2/takeover`, { method: 'POST', headers })).status).toBe(403);
    } finally {
      await open.kill();
    }
  });
});

describe('reading', () => {
  it('lists conversations, the latest first, page by page, and finds them by name and address', async () => {
    const first = await call('/api/conversations?limit=2');
    expect(first.body).toMatchObject({ items: [{ id: '3' }, { id: '2' }], next: expect.any(String) });
    expect((await call(`/api/conversations?limit=2&after=${String(first.body['next'])}`)).body).toMatchObject({
      items: [{ id: '1' }],
      next: null,
    });
    expect((await call('/api/conversations?q=anna')).body['items']).toMatchObject([
      { contact: { name: 'Anna Ek' }, preview: 'hi', openReviews: 1 },
    ]);
    expect((await call('/api/conversations?q=0%25')).body['items']).toMatchObject([{ id: '2' }]);
    expect((await call('/api/conversations?q=46700000003')).body['items']).toMatchObject([{ id: '3' }]);
  });

  it('shows a conversation with its turns, journal and what happened to its messages', async () => {
    const { body } = await call('/api/conversations/1');
    expect(body).toMatchObject({
      conversation: { id: '1', contact: { name: 'Anna Ek' }, takeover: null },
      messages: [{ text: 'hi', outcome: 'in_batch', edits: [{ text: 'hello' }], reactions: [{ emoji: 'x' }] }],
      events: [{ kind: 'edit' }, { kind: 'reaction', outcome: 'ignored' }],
      batches: [{ state: 'review', attempts: 4 }],
      turns: [
        { attempt: 1, steps: [{ call: { name: 'opening_hours' } }] },
        { attempt: 2, steps: [] },
      ],
      reviews: [{ reason: 'turn-failed' }],
    });
    expect((await call('/api/conversations/77')).status).toBe(404);
  });

  it('names the field that is wrong', async () => {
    expect((await call('/api/conversations/1/messages', { text: ' ' })).body['message']).toEqual([
      'text must not be empty',
    ]);
    expect((await call('/api/reviews/1/resolve', { action: 'reply' })).body['message']).toContainEqual(
      expect.stringMatching(/^text /),
    );
    expect((await call('/api/reviews/1/resolve', { action: 'burn' })).body['message']).toContainEqual(
      expect.stringMatching(/^action /),
    );
    expect((await call('/api/reviews?state=old')).status).toBe(400);
  });

  it('has a ledger that adds up, and accounts without secrets', async () => {
    expect((await call('/api/ledger')).body).toMatchObject({
      batches: { review: 1 },
      waiting: { person: 2 },
      unaccounted: 0,
    });
    expect(JSON.stringify((await call('/api/accounts')).body)).not.toContain('secret');
  });
});

describe('acting', () => {
  it('takes over, writes, refuses what cannot be, and releases', async () => {
    expect((await call('/api/conversations/2/takeover', { by: 'Ben' })).body).toMatchObject({
      takenOverBy: 'Ben',
      reviews: [],
    });
    expect((await call('/api/conversations/2/messages', { text: 'Hello', by: 'Ben' })).body).toMatchObject({
      partIds: [expect.any(String)],
    });
    expect(await call('/api/conversations/2/release', {})).toMatchObject({ status: 200, body: { batchIds: [] } });
    expect(await call('/api/conversations/2/release', {})).toMatchObject({ status: 409 });
    await sql(`UPDATE conversation SET last_inbound_at = now() - interval '2 days' WHERE id = 3`);
    expect(await call('/api/conversations/3/messages', { text: 'Hello' })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('window') },
    });
  });

  it('resolves a case once, and resumes a paused account through its case', async () => {
    expect(await call('/api/reviews/1/resolve', { action: 'retry', by: 'Ben' })).toMatchObject({
      status: 200,
      body: { batchIds: [expect.any(String)] },
    });
    expect(await call('/api/reviews/1/resolve', { action: 'dismiss' })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('Ben') },
    });
    await sql('UPDATE account SET paused_at = now()');
    expect((await call('/api/accounts/1/resume', {})).status).toBe(200);
    expect((await call('/api/reviews?state=open')).body['items']).toEqual([]);
  });

  it('tells those who listen', async () => {
    const listening = new AbortController();
    const response = await fetch(`${app.url}/api/live`, {
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: listening.signal,
    });
    let heard = '';
    const found = (async () => {
      for await (const chunk of response.body as ReadableStream<Uint8Array>) {
        heard += new TextDecoder().decode(chunk);
        if (heard.includes('event: review')) return true;
      }
      return false;
    })();
    // Repeated until it is heard: what was there when the listening began is no news.
    const insert = () =>
      sql(`INSERT INTO review (subject, reason, opened_at) VALUES (gen_random_uuid(), 'unreadable', now())`);
    const timer = setInterval(() => void insert(), 100);
    expect(await found).toBe(true);
    clearInterval(timer);
    expect(heard).toContain('event: open');
    listening.abort();
  });
});
