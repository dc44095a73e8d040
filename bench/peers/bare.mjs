/** Fastify, the signature, the JSON, and nothing else: what is the most that this machine can answer. */
import Fastify from 'fastify';
import { endWithParent, keepRawBodies, readSigned } from './webhook-body.mjs';

const { PORT, APP_SECRET } = process.env;
const app = Fastify();
keepRawBodies(app);
app.get('/health/ready', () => 'ok');
app.post('/webhooks/whatsapp', async (request, reply) => {
  const webhook = readSigned(request.body, request.headers['x-hub-signature-256'], APP_SECRET);
  return webhook === null ? reply.code(403).send('') : '';
});
endWithParent();
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
