import { Agent, request } from 'node:http';

/** A channel gives up after so long, ms. */
const patienceMs = 30_000;

/**
 * Posts signed webhooks to one address over connections that are kept.
 * @returns {(webhook: {body: Buffer, signature: string}) => Promise<number | null>} the status of the answer, null when
 *   none came. Never rejects.
 */
export function posterTo(url, connections) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const target = { hostname, port, path: '/webhooks/whatsapp', method: 'POST', agent };
  return ({ body, signature }) =>
    new Promise((resolve) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': body.length,
        'x-hub-signature-256': signature,
      };
      const posting = request({ ...target, headers }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode));
        response.once('error', () => resolve(null));
      });
      posting.setTimeout(patienceMs, () => posting.destroy());
      posting.once('error', () => resolve(null));
      posting.end(body);
    });
}
