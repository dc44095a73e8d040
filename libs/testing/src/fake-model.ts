import { AnswerScript, type Scripted } from './answer-script.js';
import { startScriptedServer, type HttpAnswer, type RecordedRequest, type ScriptedServer } from './scripted-server.js';

/** A message of a chat-completions request, as far as tests read it. */
export interface ModelMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | null | { type: string; text?: string }[];
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface ModelRequest {
  model: string;
  messages: ModelMessage[];
  tools: { name: string }[];
  http: RecordedRequest;
}

export interface ModelToolCall {
  name: string;
  /** An object, or text that is sent as it stands (malformed JSON included). */
  arguments: Record<string, unknown> | string;
  id?: string;
}

/** Text and tool calls make a normal completion; status or fault make the provider fail. */
export interface ModelAnswer {
  text?: string;
  toolCalls?: ModelToolCall[];
  finishReason?: string;
  status?: number;
  headers?: Record<string, string>;
  latencyMs?: number;
  fault?: 'hang' | 'cut';
}

export interface FakeModel {
  /** For OPENAI_BASE_URL. */
  baseUrl: string;
  requests: ModelRequest[];
  always(answer: Scripted<ModelRequest, ModelAnswer>): void;
  next(...answers: Scripted<ModelRequest, ModelAnswer>[]): void;
  received: ScriptedServer['received'];
  close(): Promise<void>;
}

/**
 * A model provider that speaks OpenAI's chat completions (`POST /v1/chat/completions`, not streamed). Without a script
 * it answers every request with the same short text.
 */
export async function startFakeModel(): Promise<FakeModel> {
  const script = new AnswerScript<ModelRequest, ModelAnswer>({ text: 'Happy to help.' });
  const requests: ModelRequest[] = [];
  const server = await startScriptedServer(async (http, index) => {
    if (http.method !== 'POST' || http.path !== '/v1/chat/completions') return { status: 404 };
    const request = readRequest(http);
    requests.push(request);
    return toHttp(request, await script.answer(request, requests.length - 1), index);
  });
  return {
    baseUrl: `${server.url}/v1`,
    requests,
    always: (answer) => script.always(answer),
    next: (...answers) => script.next(...answers),
    received: server.received,
    close: server.close,
  };
}

/** All text of a request's messages of one role, in order: what the model was told. */
export function textsOf(request: ModelRequest, role: ModelMessage['role']): string[] {
  return request.messages
    .filter((message) => message.role === role)
    .map(({ content }) =>
      Array.isArray(content) ? content.map((piece) => piece.text ?? '').join('') : (content ?? ''),
    );
}

function readRequest(http: RecordedRequest): ModelRequest {
  const body = http.body as { model: string; messages: ModelMessage[]; tools?: { function: { name: string } }[] };
  return {
    model: body.model,
    messages: body.messages,
    tools: (body.tools ?? []).map((tool) => ({ name: tool.function.name })),
    http,
  };
}

function toHttp(request: ModelRequest, answer: ModelAnswer, index: number): HttpAnswer {
  const how: HttpAnswer = {
    ...(answer.latencyMs === undefined ? {} : { latencyMs: answer.latencyMs }),
    ...(answer.fault === undefined ? {} : { fault: answer.fault }),
    ...(answer.headers === undefined ? {} : { headers: answer.headers }),
  };
  if (answer.status !== undefined && answer.status !== 200) {
    const error = { message: answer.text ?? `scripted ${answer.status}`, type: 'scripted_error', code: null };
    return { ...how, status: answer.status, body: { error } };
  }
  return { ...how, body: completion(request, answer, index) };
}

function completion(request: ModelRequest, { text, toolCalls, finishReason }: ModelAnswer, index: number): unknown {
  const calls = toolCalls?.map((call, position) => ({
    id: call.id ?? `call_${index}_${position}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const message = { role: 'assistant', content: text ?? null, ...(calls === undefined ? {} : { tool_calls: calls }) };
  return {
    id: `chatcmpl-${index}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices: [{ index: 0, message, finish_reason: finishReason ?? (calls === undefined ? 'stop' : 'tool_calls') }],
    usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
  };
}
