import { splitReply, type Assistant, type AssistantAnswer, type Json, type TurnContext, type TurnRun } from '#domain';
import { readHttpAnswer } from './http-answer.js';
import { httpRequest } from './http-request.js';
import type { ModelLimits } from './model-assistant.js';
import { readBounded } from './read-bounded.js';
import { recordAnswer } from './record-answer.js';
import { storableJson } from './storable-json.js';
import { LimitError, withinLimit } from './within-limit.js';

const LONGEST_ANSWER = 1024 * 1024;
const QUOTED = 200;

export interface HttpService {
  url: string;
  secret: string;
  fetch: typeof globalThis.fetch;
}

/** Lets a service of the user's own answer: one signed POST per attempt, until one answer is in the journal. */
export class HttpAssistant implements Assistant {
  readonly name = 'http';

  constructor(
    private readonly service: HttpService,
    private readonly limits: Pick<ModelLimits, 'modelTimeoutMs' | 'historyTokens' | 'partLength'>,
  ) {}

  async answer(turn: TurnContext, run: TurnRun): Promise<AssistantAnswer> {
    const recorded = (await run.journal.steps()).find((step) => step.position === 0);
    const body = recorded?.kind === 'answer' ? recorded.content : await this.askAndRecord(turn, run);
    const answer = readHttpAnswer(body);
    if (!answer) throw new Error('the journal holds an answer that this assistant cannot read');
    if (answer.kind !== 'reply') return answer;
    const longest = this.limits.partLength(turn.account.channel);
    // The service decided what a part is; only what the channel would refuse is cut.
    return {
      kind: 'reply',
      parts: answer.parts.flatMap((part) => (part.length > longest ? splitReply(part, longest) : [part])),
    };
  }

  private async askAndRecord(turn: TurnContext, run: TurnRun): Promise<Json> {
    run.stillHeld();
    const { status, text } = await withinLimit(
      'the assistant service',
      this.limits.modelTimeoutMs,
      run.signal,
      (signal) => this.post(turn, signal),
    ).catch((error: unknown) => {
      if (run.signal.aborted || error instanceof LimitError) throw error;
      throw new Error(`the assistant service could not be asked: ${reasonOf(error)}`);
    });
    const body = status === 200 ? parse(text) : null;
    // An answer that is none must not be journaled: the next attempt shall ask again.
    if (body === null || !readHttpAnswer(body)) {
      const why = status >= 300 && status < 400 ? 'redirects are not followed' : text.slice(0, QUOTED);
      throw new Error(`the assistant service answered ${status}: ${why}`);
    }
    await recordAnswer(run.journal, 0, body, null, true);
    return body;
  }

  private async post(turn: TurnContext, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const { url, secret, fetch } = this.service;
    const { body, headers } = httpRequest(turn, secret, this.limits.historyTokens);
    const response = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'manual' });
    return { status: response.status, text: await readBounded(response, LONGEST_ANSWER) };
  }
}

function parse(text: string): Json {
  try {
    return storableJson(JSON.parse(text));
  } catch {
    return null;
  }
}

/** fetch hides the reason (refused, reset, no such host) in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
