import { AnswerScript, type Scripted } from './answer-script.js';
import { startScriptedServer, type HttpAnswer, type RecordedRequest, type ScriptedServer } from './scripted-server.js';

/** A message as the `http` assistant gets it. */
export interface TurnMessage {
  id: string;
  type: string;
  text: string | null;
  at: string | number;
}

/** The body that oneturn posts to an assistant of the user's own. */
export interface TurnRequest {
  tenant: string;
  account: { channel: string; externalId: string };
  conversation: { id: string; threadId: string; contact: { name: string | null; aliases: unknown } };
  batch: { id: string; attempt: number };
  message: TurnMessage;
  skipped: TurnMessage[];
  totalSinceLastHandler: number;
  messages: TurnMessage[];
  history: { role: string; text: string; at: string | number }[];
}

export type AssistantAnswer = { latencyMs?: number } & (
  | { parts: string[] }
  | { silent: true }
  | { review: string }
  | { status: number; body?: unknown }
  | { fault: 'hang' | 'cut' }
);

export interface AssistantRequest {
  turn: TurnRequest;
  http: RecordedRequest;
}

export interface FakeAssistant {
  /** For ASSISTANT_URL. */
  url: string;
  requests: AssistantRequest[];
  always(answer: Scripted<AssistantRequest, AssistantAnswer>): void;
  next(...answers: Scripted<AssistantRequest, AssistantAnswer>[]): void;
  received: ScriptedServer['received'];
  close(): Promise<void>;
}

/**
 * The user's own bot behind AI_MODEL=http. It checks nothing (signatures are for the specs to check, from the log), and
 * without a script answers one part that repeats the texts of the batch.
 */
export async function startFakeAssistant(): Promise<FakeAssistant> {
  const requests: AssistantRequest[] = [];
  const script = new AnswerScript<AssistantRequest, AssistantAnswer>(({ turn }) => ({
    parts: [`You said: ${turn.messages.map((message) => message.text ?? message.type).join(' / ')}`],
  }));
  const server = await startScriptedServer(async (http) => {
    const request: AssistantRequest = { turn: http.body as TurnRequest, http };
    requests.push(request);
    return toHttp(await script.answer(request, requests.length - 1));
  });
  return {
    url: `${server.url}/turn`,
    requests,
    always: (answer) => script.always(answer),
    next: (...answers) => script.next(...answers),
    received: server.received,
    close: server.close,
  };
}

function toHttp(answer: AssistantAnswer): HttpAnswer {
  const { latencyMs = 0, ...rest } = answer;
  if ('fault' in rest) return { latencyMs, fault: rest.fault };
  if ('status' in rest) return { latencyMs, status: rest.status, body: rest.body ?? { error: 'scripted' } };
  return { latencyMs, body: rest };
}
