/**
 * Chat SDK with its WhatsApp adapter, as its own pages put it together (direct messages, overlapping messages, state
 * adapters): the 200 is given before anything is kept. With MODEL_URL it answers, as its example of a burst does: one
 * question to the model about all messages, one post. Without, it only notes what its handler was given.
 */
import { createIoRedisState } from '@chat-adapter/state-ioredis';
import { createPostgresState } from '@chat-adapter/state-pg';
import { createWhatsAppAdapter } from '@chat-adapter/whatsapp';
import { Chat } from 'chat';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { limitTo } from './limit-to.mjs';
import { endWithParent, keepRawBodies } from './webhook-body.mjs';

const { PORT, STRATEGY, DEBOUNCE_MS, REDIS_URL, DATABASE_URL, POOL_MAX, MODEL_URL, TURN_CONCURRENCY } = process.env;
/** Channel ids of the messages that the handler was given, alone or as skipped ones. */
const handed = new Set();
const inTurn = limitTo(Number(TURN_CONCURRENCY ?? 5));

const bot = new Chat({
  userName: 'bench',
  // Its credentials and the address of the channel stand in the variables that its page names.
  adapters: { whatsapp: createWhatsAppAdapter() },
  state: REDIS_URL
    ? createIoRedisState({ url: REDIS_URL })
    : createPostgresState({ client: new Pool({ connectionString: DATABASE_URL, max: Number(POOL_MAX) }) }),
  concurrency: { strategy: STRATEGY, ...(DEBOUNCE_MS ? { debounceMs: Number(DEBOUNCE_MS) } : {}) },
  logger: 'error',
});

bot.onDirectMessage(async (thread, message, _channel, context) => {
  const messages = [...(context?.skipped ?? []), message];
  for (const { id } of messages) handed.add(id);
  if (MODEL_URL) await inTurn(() => answer(thread, messages));
});

async function answer(thread, messages) {
  void thread.startTyping().catch(() => {});
  const response = await fetch(MODEL_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: messages.map(({ id, text }) => ({ id, text })) }),
  });
  for (const part of (await response.json()).parts) await thread.post(part);
}

const app = Fastify();
keepRawBodies(app);
app.get('/health/ready', async () => {
  await bot.initialize();
  return 'ok';
});
app.get('/handed', () => [...handed].join('\n'));
app.delete('/handed', () => {
  handed.clear();
  return '';
});
app.post('/webhooks/whatsapp', async (request, reply) => {
  const { method, headers, body } = request;
  const webhook = new Request(`http://127.0.0.1${request.url}`, { method, headers, body });
  // The process stays: nothing has to wait for the rest of the work.
  const response = await bot.webhooks.whatsapp(webhook, { waitUntil: () => {} });
  return reply.code(response.status).send(await response.text());
});
endWithParent();
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
