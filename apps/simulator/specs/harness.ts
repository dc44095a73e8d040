import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { SimulatorSettings } from '../src/options.js';
import { startSimulator } from '../src/simulator.js';

export const NUMBER = '402600000000201';
export const TOKEN = 'token-1';
export const SECRET = 'secret-1';
export const ANA = '15550100311';

export interface Caught {
  body: Buffer;
  headers: IncomingHttpHeaders;
  at: number;
}

/** A webhook receiver that keeps what it gets; `answers` are given first, then 200. */
async function startReceiver() {
  const caught: Caught[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      caught.push({ body: Buffer.concat(chunks), headers: request.headers, at: Date.now() });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { caught, answers, url: `http://127.0.0.1:${port}/webhooks/whatsapp`, close };
}

/** A simulator with one number, and the receiver of its webhooks. */
export async function startWorld(settings: Partial<SimulatorSettings> = {}) {
  const receiver = await startReceiver();
  const simulator = await startSimulator({
    accounts: [{ phoneNumberId: NUMBER, accessToken: TOKEN, appSecret: SECRET, webhookUrl: receiver.url }],
    settings: { statuses: { sentMs: 5, deliveredMs: 10, readMs: 15 }, ...settings },
  });
  const control = async <T = unknown>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
    const response = await fetch(`${simulator.url}/control/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const post = async (body: unknown, token: string | null = TOKEN, number = NUMBER) => {
    const response = await fetch(`${simulator.url}/v23.0/${number}/messages`, {
      method: 'POST',
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith('{') ? (JSON.parse(text) as Json) : {} };
  };
  const close = async () => {
    await simulator.close();
    await receiver.close();
  };
  return { ...receiver, url: simulator.url, control, post, close };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

// Answers are looked into freely; a spec that guesses a field wrongly fails by itself.
export type Json = Record<string, never> & { [key: string]: Json };

export function text(body: string, more: object = {}) {
  return { messaging_product: 'whatsapp', to: ANA, type: 'text', text: { body }, ...more };
}

/** The one change of a webhook. */
export function valueOf(caught: Caught): Json {
  return (JSON.parse(caught.body.toString()) as Json)['entry']![0]!['changes']![0]!['value']!;
}

/** `sent`, `delivered`, … of the webhooks so far, in order of arrival. */
export function statusesOf(caught: readonly Caught[]): string[] {
  return caught
    .flatMap((one) => (valueOf(one)['statuses'] as unknown as { status: string }[] | undefined) ?? [])
    .map((s) => s.status);
}

export function isSigned(caught: Caught, secret = SECRET): boolean {
  const right = `sha256=${createHmac('sha256', secret).update(caught.body).digest('hex')}`;
  return caught.headers['x-hub-signature-256'] === right;
}

/** Polls until `condition` holds; fails after 3 s. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 3000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not within 3 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
