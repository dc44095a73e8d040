/**
 * Where the channel's webhooks arrive: handed to the ingest processes in turn, to both at once, or with the answer
 * lost. It also is the witness of what was answered with 200.
 */
import { Agent, createServer, request as httpRequest } from 'node:http';
import { EventEmitter, once } from 'node:events';

/** After this silence the channel is told that nobody answered; ms. */
const PATIENCE_MS = 4_000;

/** @param {() => {name: string, url: string}[]} ingests those that are up, in a fixed order. */
export async function startGate(ingests) {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const events = new EventEmitter().setMaxListeners(0);
  /** @type {{at: number, ingest: string, holds: string[]}[]} */
  const acknowledged = [];
  const inFlight = new Map();
  const armed = { lost: 0, both: 0 };
  const struck = { lost: 0, both: 0 };
  let turn = 0;

  const forward = async (ingest, body, headers, holds) => {
    inFlight.set(ingest.name, (inFlight.get(ingest.name) ?? 0) + 1);
    const answer = post(agent, `${ingest.url}/webhooks/whatsapp`, body, headers);
    events.emit(`arrived ${ingest.name}`);
    const status = await answer;
    inFlight.set(ingest.name, inFlight.get(ingest.name) - 1);
    if (status === 200) {
      acknowledged.push({ at: Date.now(), ingest: ingest.name, holds });
      events.emit('acknowledged');
    }
    return status;
  };

  const hand = async (body, headers) => {
    const up = ingests();
    if (up.length === 0) return 503;
    const holds = idsIn(body);
    const first = turn++ % up.length;
    if (armed.both > 0 && up.length > 1) {
      armed.both--;
      const answers = await Promise.all(up.map((ingest) => forward(ingest, body, headers, holds)));
      if (answers.every((status) => status !== null)) struck.both++;
      return answers.includes(200) ? 200 : 502;
    }
    for (let i = 0; i < up.length; i++) {
      const status = await forward(up[(first + i) % up.length], body, headers, holds);
      if (status !== null) return status;
    }
    return 502;
  };

  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    let status = await hand(Buffer.concat(chunks), incoming.headers);
    if (status === 200 && armed.lost > 0) {
      armed.lost--;
      struck.lost++;
      status = 502;
    }
    outgoing.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${server.address().port}/webhooks/whatsapp`,
    acknowledged,
    /** Webhooks that this ingest has and has not answered. */
    inFlight: (name) => inFlight.get(name) ?? 0,
    /** Waits for a webhook to be in the hands of this ingest. @returns {Promise<boolean>} */
    arrival: (name, withinMs) => happens(events, `arrived ${name}`, withinMs),
    acknowledgement: (withinMs) => happens(events, 'acknowledged', withinMs),
    /** The next answers of 200 do not reach the channel. */
    loseAnswers: (count) => void (armed.lost += count),
    /** The next webhooks go to all ingest processes in the same moment. */
    handToBoth: (count) => void (armed.both += count),
    calm: () => void Object.assign(armed, { lost: 0, both: 0 }),
    armed,
    struck,
    close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}

export async function happens(events, name, withinMs) {
  try {
    await once(events, name, { signal: AbortSignal.timeout(withinMs) });
    return true;
  } catch {
    return false;
  }
}

/** The HTTP status, null without an answer. */
function post(agent, url, body, { host: _host, ...headers }) {
  return new Promise((resolve) => {
    const request = httpRequest(url, { method: 'POST', agent, headers, timeout: PATIENCE_MS }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? null));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(null));
    request.end(body);
  });
}

/** `message <id>` and `status <id> <name>` of everything in the body. */
function idsIn(body) {
  const holds = [];
  try {
    for (const entry of JSON.parse(body.toString('utf8')).entry) {
      for (const { value } of entry.changes) {
        for (const message of value.messages ?? []) holds.push(`message ${message.id}`);
        for (const status of value.statuses ?? []) holds.push(`status ${status.id} ${status.status}`);
      }
    }
  } catch {
    // Nothing that the audit could look for.
  }
  return holds;
}
