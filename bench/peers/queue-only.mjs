/**
 * The published design that trusts Redis with everything: verify, add a job, answer. The message's id as job id keeps
 * copies out. What Redis has not flushed when its machine stops is gone, with a 200 given for it.
 */
import { Queue } from 'bullmq';
import Fastify from 'fastify';
import pino from 'pino';
import { endWithParent, keepRawBodies, messagesOf, readSigned } from './webhook-body.mjs';

const { PORT, APP_SECRET, REDIS_HOST, REDIS_PORT, REDIS_DB } = process.env;
const log = pino({ level: 'info' });
const connection = { host: REDIS_HOST, port: Number(REDIS_PORT), db: Number(REDIS_DB) };
const queue = new Queue('messages', { connection, defaultJobOptions: { removeOnComplete: true, attempts: 4 } });
queue.on('error', (error) => log.error({ err: error }, 'queue'));

const app = Fastify({ loggerInstance: log, disableRequestLogging: true });
keepRawBodies(app);
app.get('/health/ready', async () => (await queue.waitUntilReady()) && 'ok');
app.post('/webhooks/whatsapp', async (request, reply) => {
  const webhook = readSigned(request.body, request.headers['x-hub-signature-256'], APP_SECRET);
  if (webhook === null) return reply.code(403).send('');
  for (const message of messagesOf(webhook)) await queue.add('message', message, { jobId: message.id });
  return '';
});
endWithParent();
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
