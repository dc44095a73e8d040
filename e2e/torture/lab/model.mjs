/**
 * The model: an OpenAI-compatible server that is slow, fails, hangs, calls tools, and words everything in a new way
 * whenever it is asked again about the same messages. What it saw is the audit's witness of the turns.
 */
import { EventEmitter } from 'node:events';
import { startFakeModel } from '#testing';
import { hash } from '../random.mjs';
import { happens } from './gate.mjs';

/**
 * @typedef {object} Asked one request.
 * @property {number} at epoch ms, like `endedAt`.
 * @property {number | null} endedAt when its connection was free again; null while it is open.
 * @property {string} boot which process asked, and which start of it: `responder-1.3`.
 * @property {string[]} tokens of the last customer messages, oldest first; the end of them is the batch.
 * @property {number} depth tool rounds so far.
 * @property {string[]} calls the ids of their calls.
 * @property {number} ask how often the same was asked before, from 1.
 * @property {string | null} fault
 * @property {string[]} tools that the answer calls.
 */

let calling = 0;

export const tokenOf = (text) => /\[m\d+\]/.exec(text)?.[0] ?? null;

/** @param {import('../random.mjs').Random} random */
export async function startModel(random) {
  const server = await startFakeModel();
  const events = new EventEmitter().setMaxListeners(0);
  /** @type {(Asked & {http: object})[]} */
  const log = [];
  const asks = new Map();
  /** @type {Record<string, number>} */
  const armed = {};
  const struck = {};

  server.always((request) => {
    const { http } = request;
    const asked = { ...read(request.messages), at: http.at, boot: bootOf(http), fault: takeFault(), http };
    // The server keeps every request; the bodies would fill the memory in a long run.
    Object.assign(http, { rawBody: null, body: null });
    server.requests.length = 0;
    // The same question: about the same messages, with the same calls behind it. Another batch has other calls.
    const same = [asked.tokens.at(-1), ...asked.calls].join(' ');
    asked.ask = (asks.get(same) ?? 0) + 1;
    asks.set(same, asked.ask);
    const answer = answerTo(asked, random);
    asked.tools = (answer.toolCalls ?? []).map((call) => call.name);
    log.push(asked);
    events.emit(`asked ${asked.boot}`);
    events.emit('asked');
    return { latencyMs: random.int(20, 300), ...answer, ...failure(asked.fault, random) };
  });

  const takeFault = () => {
    const kind = Object.keys(armed).find((name) => armed[name] > 0);
    if (kind === undefined) return null;
    armed[kind]--;
    struck[kind] = (struck[kind] ?? 0) + 1;
    return kind;
  };

  return {
    baseUrl: server.baseUrl,
    log: () => log.map(({ http, ...asked }) => ({ ...asked, endedAt: http.endedAt, aborted: http.aborted })),
    /** Requests that are open, of one start of a process or of all. */
    open: (boot) =>
      log.slice(-200).filter(({ http, ...asked }) => http.endedAt === null && (boot ?? asked.boot) === asked.boot),
    asked: (boot, withinMs) => happens(events, boot === null ? 'asked' : `asked ${boot}`, withinMs),
    /** @param {'error' | 'hang' | 'slow' | 'cut' | 'limit'} kind what the next requests meet. */
    inject: (kind, times) => void (armed[kind] = (armed[kind] ?? 0) + times),
    calm: () => Object.keys(armed).forEach((kind) => delete armed[kind]),
    armed,
    struck,
    close: () => server.close(),
  };
}

/** Every process has a key of its own for the model: it tells who asks. */
function bootOf(http) {
  return String(http.headers.authorization ?? '').replace(/^Bearer /, '');
}

function read(messages) {
  const last = messages.findLastIndex((message) => message.role === 'user');
  let first = last;
  while (first > 0 && messages[first - 1].role === 'user') first--;
  const texts = messages.slice(first, last + 1).map((message) => textOf(message.content));
  return {
    tokens: texts.map(tokenOf).filter((token) => token !== null),
    wish: texts.at(-1) ?? '',
    depth: messages.slice(last + 1).filter((message) => message.tool_calls?.length > 0).length,
    calls: messages.slice(last + 1).flatMap((message) => (message.tool_calls ?? []).map((call) => call.id)),
  };
}

const textOf = (content) =>
  Array.isArray(content) ? content.map((piece) => piece.text ?? '').join('') : String(content ?? '');

/** What the last message of the batch wishes decides on the tools: all attempts agree on that, and on nothing else. */
function answerTo({ tokens, wish, depth, ask }, random) {
  const token = tokens.at(-1) ?? '[none]';
  const books = wish.includes('book');
  const notes = wish.includes('note');
  const together = hash(token) % 2 === 0;
  const wording = `${random.pick(['Saturday', 'sat.', 'this Saturday', 'on Saturday'])} ${random.int(9, 17)}:${random.int(10, 59)}`;
  const book = { name: 'hold_appointment', arguments: { startsAt: wording, service: `wording ${ask}` } };
  const note = {
    name: 'add_note',
    arguments: { text: `${random.pick(['likes', 'prefers', 'wants'])} mornings, ${wording}` },
  };
  const named = (calls) => ({ toolCalls: calls.map((call) => ({ ...call, id: `call_${(calling += 1)}` })) });
  if (depth === 0 && books) return named(together && notes ? [book, note] : [book]);
  if (depth === 0 && notes) return named([note]);
  if (depth === 1 && books && notes && !together) return named([note]);
  // It has forgotten that it had asked for it already.
  if (ask > 1 && depth > 0 && depth < 4 && (books || notes) && random.chance(0.4)) return named([books ? book : note]);
  const parts = 1 + (hash(`${token}parts`) % 3);
  const about = `for ${token}, wording ${ask}.${depth}`;
  return { text: Array.from({ length: parts }, (_, i) => `Part ${i + 1} of ${parts} ${about}`).join('\n\n') };
}

function failure(kind, random) {
  switch (kind) {
    case 'error':
      return { status: random.pick([500, 502, 529]) };
    case 'limit':
      return { status: 429, headers: { 'retry-after': '1' } };
    case 'hang':
      return { fault: 'hang' };
    case 'cut':
      return { fault: 'cut', latencyMs: random.int(50, 500) };
    case 'slow':
      return { latencyMs: random.int(700, 2_500) };
    default:
      return {};
  }
}
