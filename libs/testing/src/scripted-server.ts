import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, type EventuallyOptions } from './eventually.js';

/** One request as it arrived. `body` is the parsed JSON, or undefined when it is none. */
export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawBody: Buffer;
  body: unknown;
  /** When it had arrived completely, epoch ms. */
  at: number;
  /** The caller closed the connection before our answer was out. */
  aborted: boolean;
  /** When its connection was free again, answered or not, epoch ms; null while it is open. */
  endedAt: number | null;
}

export interface HttpAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a string. */
  body?: unknown;
  /** Wait this long before the answer, in ms. */
  latencyMs?: number;
  /** Never answer (`hang`), or close the socket without an answer (`cut`). */
  fault?: 'hang' | 'cut';
}

export type Answering = (request: RecordedRequest, index: number) => HttpAnswer | Promise<HttpAnswer>;

export interface ScriptedServer {
  url: string;
  port: number;
  requests: RecordedRequest[];
  /** Waits until at least `count` requests have arrived and returns them all. */
  received(count: number, options?: EventuallyOptions): Promise<RecordedRequest[]>;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
}

/** An HTTP server on a free port that logs every request and answers it as `answer` says. */
export async function startScriptedServer(answer: Answering): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, response) => void handle(incoming, response, requests, answer));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    received: (count, options) => eventually(() => requests.length >= count && requests, options),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  requests: RecordedRequest[],
  answer: Answering,
): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array));
  } catch {
    return;
  }
  const request = record(incoming, Buffer.concat(chunks));
  response.once('close', () => {
    request.aborted = !response.writableFinished;
    request.endedAt = Date.now();
  });
  const { status = 200, headers = {}, body, latencyMs = 0, fault } = await answer(request, requests.push(request) - 1);
  if (latencyMs > 0) await delay(latencyMs);
  if (fault === 'hang' || response.destroyed) return;
  if (fault === 'cut') {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
}

function record(incoming: IncomingMessage, rawBody: Buffer): RecordedRequest {
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    rawBody,
    body: parse(rawBody),
    at: Date.now(),
    aborted: false,
    endedAt: null,
  };
}

function parse(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
