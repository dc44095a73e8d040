import type {
  JSONObject,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
} from '@ai-sdk/provider';
import { readIntents, readPartCount } from './demo-intents.js';
import { wordReply, type DemoResult } from './demo-reply.js';
import { readSystemText } from './system-text.js';

/**
 * A model without a network: the same prompt always gives the same answer. It implements the SDK's interface, so that a
 * demo takes the same path, journal and tools included, as any real model.
 */
export class DemoModel implements LanguageModelV3 {
  readonly specificationVersion = 'v3';
  readonly provider = 'oneturn';
  readonly modelId = 'demo';
  readonly supportedUrls = {};

  doGenerate(options: LanguageModelV3CallOptions): Promise<LanguageModelV3GenerateResult> {
    const { texts, results, now } = readPrompt(options.prompt);
    const next = nextCall(readIntents(texts, now), results, options);
    const content = next ?? {
      type: 'text' as const,
      text: wordReply(texts, results, readPartCount(texts)).join('\n\n'),
    };
    const finish = next ? ('tool-calls' as const) : ('stop' as const);
    return Promise.resolve({
      content: [content],
      finishReason: { unified: finish, raw: finish },
      usage: {
        inputTokens: { total: tokens(options.prompt), noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: tokens(content), text: undefined, reasoning: undefined },
      },
      warnings: [],
    });
  }

  doStream(): never {
    throw new Error('the demo model does not stream');
  }
}

/** One call per answer, the first wanted tool that has no result yet. */
function nextCall(
  intents: ReturnType<typeof readIntents>,
  results: DemoResult[],
  options: LanguageModelV3CallOptions,
): LanguageModelV3Content | undefined {
  const intent = intents.find(({ tool }) => results.every((result) => result.tool !== tool));
  const tool = options.tools?.find((offered) => offered.type === 'function' && offered.name === intent?.tool);
  if (!intent || tool?.type !== 'function') return undefined;
  const known = Object.keys(tool.inputSchema.properties ?? {});
  const input: JSONObject = Object.fromEntries(Object.entries(intent.values).filter(([name]) => known.includes(name)));
  return {
    type: 'tool-call',
    toolCallId: `demo-${results.length + 1}`,
    toolName: tool.name,
    input: JSON.stringify(input),
  };
}

function readPrompt(prompt: LanguageModelV3Prompt): { texts: string[]; results: DemoResult[]; now: number } {
  const said: string[] = [];
  const results: DemoResult[] = [];
  let system = '';
  for (const message of prompt) {
    if (message.role === 'system') system += message.content;
    if (message.role === 'user')
      said.push(message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''));
    if (message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type !== 'tool-result') continue;
      results.push({ tool: part.toolName, result: part.output.type === 'json' ? part.output.value : null });
    }
  }
  const { newMessages, now } = readSystemText(system);
  return { texts: said.slice(-newMessages), results, now };
}

function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
