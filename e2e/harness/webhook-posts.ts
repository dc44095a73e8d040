/** Webhooks that a test posts itself, each on a connection of its own, to see what becomes of every single one. */
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import type { World } from './world.js';

export interface PostedWebhook {
  /** The id of its message. */
  id: string;
  /** Resolves when ingest has taken the request, and its last byte is on the way. */
  taken: Promise<void>;
  /** The HTTP status; null when the connection ended without one. */
  answer: Promise<number | null>;
}

/** One text message, signed as the channel does. */
export function postWebhook(world: World, id: string): PostedWebhook {
  const metadata = { display_phone_number: '15550100', phone_number_id: world.env['WHATSAPP_PHONE_NUMBER_ID'] };
  const timestamp = String(Math.floor(Date.now() / 1000));
  const message = { from: '15550107000', id, timestamp, type: 'text', text: { body: id } };
  const value = { messaging_product: 'whatsapp', metadata, messages: [message] };
  const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
  return post(world, id, JSON.stringify({ object: 'whatsapp_business_account', entry }));
}

function post(world: World, id: string, body: string): PostedWebhook {
  const signature = createHmac('sha256', world.env['WHATSAPP_APP_SECRET'] as string)
    .update(body)
    .digest('hex');
  const posting = request(`${world.only('ingest').url}/webhooks/whatsapp`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-hub-signature-256': `sha256=${signature}`,
      // The server says that it has read the head: the request is in its hands and no longer in the kernel's.
      expect: '100-continue',
    },
  });
  posting.flushHeaders();
  const answer = new Promise<number | null>((resolve) => {
    posting.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    posting.once('error', () => resolve(null));
  });
  const taken = new Promise<void>((resolve, reject) => {
    posting.once('continue', () => posting.end(body, () => resolve()));
    posting.once('error', reject);
  });
  // Who does not wait for it learns of the error from the answer.
  taken.catch(() => undefined);
  return { id, taken, answer };
}
