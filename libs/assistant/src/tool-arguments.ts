import type { Tool } from '#domain';
import { z } from 'zod';
import type { AnswerCall } from './answer-content.js';

/** Why the call cannot be run, in words that let the model correct itself; null when it can. */
export function whyRefused(call: AnswerCall, tool: Tool | undefined, tools: Tool[]): string | null {
  if (!tool)
    return `there is no tool ${call.toolName}; the tools are ${tools.map(({ name }) => name).join(', ') || 'none'}`;
  if (call.unreadable !== undefined) return 'the arguments were not a JSON object';
  const checked = z.fromJSONSchema(tool.parameters).safeParse(call.input);
  return checked.success ? null : `the arguments do not fit: ${z.prettifyError(checked.error)}`;
}
