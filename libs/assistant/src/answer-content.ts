/** The model's answer as the journal keeps it: enough to show it to the same model again, word for word. */
import type { Json, JsonObject } from '#domain';
import type { AssistantContent, JSONValue } from 'ai';
import { z } from 'zod';
import { storableJson } from './storable-json.js';

const json = z.json() as z.ZodType<Json>;
const object = z.record(z.string(), json) as z.ZodType<JsonObject>;
const options = z.record(z.string(), object).optional();
const callPart = z.object({
  type: z.literal('tool-call'),
  toolCallId: z.string(),
  toolName: z.string(),
  input: object,
  /** Set when the model's arguments were no JSON object: what it wrote instead. `input` is then empty. */
  unreadable: z.string().optional(),
  providerOptions: options,
});
const wordsPart = z.object({ type: z.enum(['text', 'reasoning']), text: z.string(), providerOptions: options });
const contentSchema = z.array(z.union([callPart, wordsPart]));

export type AnswerContent = z.infer<typeof contentSchema>;
export type AnswerCall = z.infer<typeof callPart>;

/** Reads a journaled answer. @throws when another kind of assistant wrote it: the setting changed between attempts. */
export function readAnswerContent(stored: Json): AnswerContent {
  const parsed = contentSchema.safeParse(stored);
  if (!parsed.success) throw new Error('the journal holds an answer that this assistant cannot read');
  return parsed.data;
}

/** One part of a fresh answer, as the SDK returns it. */
export interface FreshPart {
  type: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  providerMetadata?: unknown;
}

/**
 * What is kept of a fresh answer. Ids of calls are made unique within it, since a result finds its call by the id and
 * some servers number every call the same. Sources and files are not part of a reply and are left out.
 */
export function freshAnswerContent(parts: FreshPart[]): AnswerContent {
  const ids = new Set<string>();
  const content = parts.flatMap((part): object[] => {
    const kept = { providerOptions: part.providerMetadata };
    if (part.type === 'tool-call') return [{ ...kept, ...callOf(part, ids) }];
    const words = part.type === 'reasoning' || (part.type === 'text' && part.text !== '');
    return words ? [{ ...kept, type: part.type, text: part.text ?? '' }] : [];
  });
  return readAnswerContent(storableJson(content));
}

function callOf(part: FreshPart, ids: Set<string>): AnswerCall {
  let id = part.toolCallId || 'call';
  while (ids.has(id)) id += '-again';
  ids.add(id);
  const call = { type: 'tool-call' as const, toolCallId: id, toolName: part.toolName ?? '' };
  const input = part.input;
  if (input !== null && typeof input === 'object' && !Array.isArray(input))
    return { ...call, input: input as JsonObject };
  const wrote = typeof input === 'string' ? input : JSON.stringify(input ?? null);
  return { ...call, input: {}, unreadable: wrote.slice(0, 500) };
}

/** The answer as a turn of the transcript. */
export function asAssistantTurn(content: AnswerContent): { role: 'assistant'; content: AssistantContent } {
  const parts = content.map((part) => {
    const extra = part.providerOptions
      ? { providerOptions: part.providerOptions as Record<string, Record<string, JSONValue>> }
      : {};
    if (part.type !== 'tool-call') return { type: part.type, text: part.text, ...extra };
    return { type: part.type, toolCallId: part.toolCallId, toolName: part.toolName, input: part.input, ...extra };
  });
  return { role: 'assistant', content: parts };
}

/** The calls of the answer, in the order in which the model wrote them. */
export function callsOf(content: AnswerContent): AnswerCall[] {
  return content.filter((part): part is AnswerCall => part.type === 'tool-call');
}

/** What the answer says to the customer. */
export function textOf(content: AnswerContent): string {
  return content
    .filter((part) => part.type === 'text')
    .map((part) => ('text' in part ? part.text : ''))
    .join('');
}
