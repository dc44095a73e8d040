/**
 * The load, in a process of its own: as many connections as asked for, each posting one unique signed webhook after the
 * other. Reports to its parent which messages were acknowledged with a 200. Webhooks are made before the clock starts.
 *
 * The parent sends {url, run, connections, warmup, seconds, prepare}, then maybe 'stop'; the answer is
 * {acknowledged: [numbers], measured: {...}}.
 */
import autocannon from 'autocannon';
import { signedWebhook } from '../parts/envelope.mjs';

let running = null;
let stopped = false;

process.on('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message !== 'stop') return void generate(message);
  stopped = true;
  running?.stop();
});

async function generate({ url, run, connections, warmup, seconds, prepare }) {
  const prepared = Array.from({ length: prepare }, (_, number) => signedWebhook(run, number));
  const acknowledged = [];
  let next = 0;
  const request = {
    setupRequest(request, context) {
      const number = next++;
      const webhook = prepared[number] ?? signedWebhook(run, number);
      prepared[number] = undefined;
      context.number = number;
      request.body = webhook.body;
      request.headers['x-hub-signature-256'] = webhook.signature;
      return request;
    },
    onResponse(status, _body, context) {
      if (status === 200) acknowledged.push(context.number);
    },
  };
  const fire = (duration) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, timeout: 30 };
    running = autocannon({ url: `${url}/webhooks/whatsapp`, connections, duration, ...options, requests: [request] });
    return running;
  };
  if (warmup > 0) await fire(warmup);
  process.send({ measuring: true });
  const result = stopped ? null : await fire(seconds);
  process.send({ acknowledged, measured: result && figures(result) });
}

/** Latencies in ms. */
function figures(result) {
  const { p50, p99, max } = result.latency;
  return {
    perSecond: result['2xx'] / result.duration,
    p50,
    p99,
    max,
    refused: result.non2xx,
    errors: result.errors + result.timeouts,
  };
}
