import { ANA, startWorld, text, until, type World } from '../specs/harness.js';

let world: World;
beforeAll(async () => {
  world = await startWorld({ windowMs: 2000, maxWaitMs: 6000 });
});
afterAll(() => world.close());

test('serves the page without inline script, under a policy that forbids it', async () => {
  const page = await fetch(world.url);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  const html = await page.text();
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|style=|\son[a-z]+=/);
  const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1]!);
  const scripts = await Promise.all(files.map((file) => fetch(world.url + file)));
  expect(scripts.map(({ status }) => status)).toEqual([200, 200]);
  const imports = (await scripts[1]!.text()).matchAll(/from '\.\/([^']+)'/g);
  for (const [, file] of imports) expect((await fetch(`${world.url}/phone/${file}`)).status).toBe(200);
  expect((await fetch(`${world.url}/phone/..%2f..%2fpackage.json`)).status).toBe(404);
});

test('tells the page the window it counts down', async () => {
  expect(await world.control('settings')).toMatchObject({ windowMs: 2000, maxWaitMs: 6000 });
});

test('shows messages, typing and ticks live', async () => {
  const leave = new AbortController();
  const live = await fetch(`${world.url}/control/live`, { signal: leave.signal });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const chunk of live.body!.pipeThrough(new TextDecoderStream())) seen.push(chunk);
  })().catch(() => undefined);
  const { id } = await world.control<{ id: string }>('messages', { from: ANA, text: 'hi' });
  await world.post({
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: id,
    typing_indicator: { type: 'text' },
  });
  await world.post(text('hello'));
  await until(() => seen.join('').includes('"status":"read"'), 'the read status');
  const types = [...seen.join('').matchAll(/^data: (.+)$/gm)].map(
    (match) => (JSON.parse(match[1]!) as { type: string }).type,
  );
  expect(types).toEqual(['entry', 'read', 'typing', 'entry', 'status', 'status', 'status']);
  leave.abort();
  await reading;
});
