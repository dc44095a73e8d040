import type { ModelUsage, Tool } from '#domain';
import {
  APICallError,
  generateText,
  jsonSchema,
  stepCountIs,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai';
import { callsOf, freshAnswerContent, textOf, type AnswerContent } from './answer-content.js';
import { LimitError, withinLimit } from './within-limit.js';

// The SDK prints its warnings with console.warn; ours is a structured log, one line per event.
globalThis.AI_SDK_LOG_WARNINGS = false;

export interface Question {
  model: LanguageModel;
  name: string;
  system: string;
  messages: ModelMessage[];
  tools: Tool[];
  timeoutMs: number;
  signal: AbortSignal;
  /** Keys that no error may show: providers repeat a wrong one in their answer. */
  secrets: string[];
}

/**
 * Asks the model for one step. The tools have no `execute`, so the SDK cannot act before the answer is journaled, and
 * it never retries: retries belong to the turn.
 * @throws when the model fails, is slow, or its answer is cut off or empty. Such an answer must not reach the journal,
 * or every later attempt would find it there and fail the same way.
 */
export async function askModel(question: Question): Promise<{ content: AnswerContent; usage: ModelUsage | null }> {
  const { model, name, system, messages, timeoutMs, signal } = question;
  const result = await withinLimit(`model ${name}`, timeoutMs, signal, (abortSignal) =>
    generateText({
      model,
      system,
      messages,
      tools: withoutExecute(question.tools),
      stopWhen: stepCountIs(1),
      maxRetries: 0,
      abortSignal,
    }),
  ).catch((error: unknown) => {
    if (signal.aborted || error instanceof LimitError) throw error;
    throw new Error(`model ${name} failed: ${describe(error, question.secrets)}`);
  });
  const content = freshAnswerContent(result.content);
  if (['length', 'content-filter', 'error'].includes(result.finishReason)) {
    throw new Error(`model ${name} ended early: ${result.finishReason}`);
  }
  if (callsOf(content).length === 0 && textOf(content).trim() === '')
    throw new Error(`model ${name} gave an empty answer`);
  return { content, usage: usageOf(result.usage) };
}

function withoutExecute(tools: Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map((tool) => [tool.name, { description: tool.description, inputSchema: jsonSchema(tool.parameters) }]),
  );
}

function usageOf(usage: { inputTokens: number | undefined; outputTokens: number | undefined }): ModelUsage | null {
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return null;
  return { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 };
}

/** Short, and without the request: it holds what customers wrote. */
function describe(error: unknown, secrets: string[]): string {
  const status = APICallError.isInstance(error) && error.statusCode ? `${error.statusCode} ` : '';
  const message = error instanceof Error ? error.message : String(error);
  return `${status}${secrets.reduce((text, secret) => text.replaceAll(secret, '[key]'), message).slice(0, 200)}`;
}
