import {
  splitReply,
  type Assistant,
  type AssistantAnswer,
  type Channel,
  type Json,
  type JournalStep,
  type TurnContext,
  type TurnRun,
} from '#domain';
import type { LanguageModel, ModelMessage } from 'ai';
import { asAssistantTurn, callsOf, readAnswerContent, textOf, type AnswerCall } from './answer-content.js';
import { askModel } from './ask-model.js';
import { buildPrompt } from './build-prompt.js';
import { endOfTurn } from './end-of-turn.js';
import { recordAnswer } from './record-answer.js';
import { CallSettler } from './settle-call.js';

export interface ModelLimits {
  modelTimeoutMs: number;
  toolTimeoutMs: number;
  /** Answers of the model per batch, over all attempts. */
  maxSteps: number;
  /** Estimated tokens of history that a prompt may hold. */
  historyTokens: number;
  /** Longest part of a reply on the channel, in UTF-16 units. */
  partLength: (channel: Channel) => number;
}

/**
 * Answers with a language model. The journal leads: what it holds is replayed and never asked or done again, and
 * whatever is new goes there before it is acted on. A position counts answers and calls alike, in order.
 */
export class ModelAssistant implements Assistant {
  constructor(
    readonly name: string,
    private readonly model: LanguageModel,
    private readonly limits: ModelLimits,
    private readonly secrets: string[] = [],
  ) {}

  async answer(turn: TurnContext, run: TurnRun): Promise<AssistantAnswer> {
    const steps = new Map((await run.journal.steps()).map((step) => [step.position, step]));
    const prompt = buildPrompt(turn, this.limits.historyTokens);
    const settler = new CallSettler(turn, run, steps, this.limits.toolTimeoutMs);
    let position = 0;
    for (let asked = 0; asked < this.limits.maxSteps; asked++) {
      run.signal.throwIfAborted();
      const recorded = steps.get(position);
      const content = recorded ? readRecorded(recorded) : await this.askAndRecord(position, prompt, run);
      const calls = callsOf(content);
      if (calls.length === 0) {
        return { kind: 'reply', parts: splitReply(textOf(content), this.limits.partLength(turn.account.channel)) };
      }
      const results: Json[] = [];
      const at = position;
      for (const call of calls) results.push(await settler.settle(++position, call, at, recorded !== undefined));
      const end = endOfTurn(calls, results);
      if (end) return end;
      prompt.messages.push(asAssistantTurn(content), asToolTurn(calls, results));
      position++;
    }
    return { kind: 'review', why: 'too many steps' };
  }

  private async askAndRecord(position: number, prompt: { system: string; messages: ModelMessage[] }, run: TurnRun) {
    run.stillHeld();
    const { content, usage } = await askModel({
      model: this.model,
      name: this.name,
      ...prompt,
      tools: run.tools,
      timeoutMs: this.limits.modelTimeoutMs,
      signal: run.signal,
      secrets: this.secrets,
    });
    await recordAnswer(run.journal, position, content as Json, usage, callsOf(content).length === 0);
    return content;
  }
}

function readRecorded(step: JournalStep) {
  if (step.kind !== 'answer') throw new Error(`the journal has a call at ${step.position}, where an answer belongs`);
  return readAnswerContent(step.content);
}

function asToolTurn(calls: AnswerCall[], results: Json[]): ModelMessage {
  return {
    role: 'tool',
    content: calls.map((call, i) => ({
      type: 'tool-result',
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      output: { type: 'json', value: results[i] ?? null },
    })),
  };
}
