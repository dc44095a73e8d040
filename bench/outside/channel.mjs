/**
 * The channel and the model of a benchmark, both answering at once or after a fixed time. Not the simulator, which
 * checks and keeps far more than a measured system should have to share its processors with.
 */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { marksIn } from './record.mjs';

/**
 * @param {{modelMs: number, silent: boolean}} settings read at each request.
 * @param {(part: {providerId: string, recipient: string, tracker?: string, text: string}) => void} accepted is told of
 *   each part after its answer has left.
 * @returns {Promise<number>} the port.
 */
export function startChannel(settings, accepted) {
  let count = 0;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (request.url === '/model') return answer(response, await modelAnswer(body, settings));
    if (body.status === 'read') return answer(response, { success: true });
    count += 1;
    const providerId = `wamid.out.${process.pid}.${count}`;
    const recipient = body.to ?? body.recipient;
    answer(response, {
      messaging_product: 'whatsapp',
      contacts: [{ input: recipient, wa_id: recipient }],
      messages: [{ id: providerId }],
    });
    accepted({ providerId, recipient, tracker: body.biz_opaque_callback_data, text: body.text?.body ?? '' });
  });
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

/** Repeats the mark of each message, so that the channel can tell which of them this reply answers. */
async function modelAnswer({ messages }, { modelMs, silent }) {
  if (modelMs > 0) await delay(modelMs);
  if (silent) return { silent: true };
  return { parts: [`re ${messages.flatMap(({ text }) => marksIn(text)[0] ?? []).join(' ')}`] };
}

function answer(response, body) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
