/** The assistant and its instructions, as the environment names them. */
import { readFile } from 'node:fs/promises';
import { createAssistant } from '#assistant';
import { driverFor } from '#channels';
import type { Assistant } from '#domain';
import type { Env } from '#process';

export const ASSISTANT = Symbol('assistant');
export const INSTRUCTIONS = Symbol('instructions');

/** Where an account's row and AI_INSTRUCTIONS_FILE both say nothing. */
const DEFAULT_INSTRUCTIONS =
  'You answer the customers of a small business in a friendly, short and concrete way. ' +
  'When you do not know something, or the customer asks for a person, hand the conversation to a person.';

/** Parts of a channel that has no driver yet are never sent; any bound will do. */
const FALLBACK_PART_LENGTH = 2000;

export function assistantOfEnv(env: Readonly<Env>): Assistant {
  const key = <T extends object>(value: T): T =>
    Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T;
  return createAssistant({
    model: env.AI_MODEL,
    modelTimeoutMs: env.MODEL_TIMEOUT_MS,
    toolTimeoutMs: env.TOOL_TIMEOUT_MS,
    historyTokens: env.AI_HISTORY_TOKENS,
    partLength: (channel) => driverFor(channel)?.limits.partLength ?? FALLBACK_PART_LENGTH,
    openai: key({ apiKey: env.OPENAI_API_KEY as string, baseURL: env.OPENAI_BASE_URL as string }),
    anthropic: key({ apiKey: env.ANTHROPIC_API_KEY as string }),
    google: key({ apiKey: env.GOOGLE_GENERATIVE_AI_API_KEY as string }),
    ...(env.ASSISTANT_URL && env.ASSISTANT_SECRET
      ? { http: { url: env.ASSISTANT_URL, secret: env.ASSISTANT_SECRET } }
      : {}),
  });
}

/** Rejects when the file cannot be read: an assistant without its instructions must not start answering. */
export async function readInstructions(env: Readonly<Env>): Promise<string> {
  if (env.AI_INSTRUCTIONS_FILE === undefined) return DEFAULT_INSTRUCTIONS;
  return readFile(env.AI_INSTRUCTIONS_FILE, 'utf8');
}
