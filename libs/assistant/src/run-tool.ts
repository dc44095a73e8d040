import { StaleFenceError, type Json, type Tool, type ToolCall, type TurnContext } from '#domain';
import { storableJson } from './storable-json.js';
import { withinLimit } from './within-limit.js';

/**
 * Runs one call. A read-only tool that throws or is slow gives `{error}`, which the model can work with.
 * @throws what an effectful tool threw, or LimitError: whether it had its effect is then not known, and as a result it
 * would invite the model to call again under another key. The attempt fails instead, and the next one runs the same
 * call with the same key. Expected refusals are values that the tool returns. Aborts and StaleFenceError always throw.
 */
export async function runTool(
  tool: Tool,
  call: ToolCall,
  turn: TurnContext,
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<Json> {
  try {
    const result = await withinLimit(`tool ${tool.name}`, limits.timeoutMs, limits.signal, (signal) =>
      tool.run(call.args, { key: call.key, signal, turn }),
    );
    return storableJson(result);
  } catch (error) {
    if (limits.signal.aborted || error instanceof StaleFenceError || tool.effect === 'effectful') throw error;
    return storableJson({ error: error instanceof Error ? error.message : String(error) });
  }
}

/** Did the call report that nothing was done? */
export function isRefusal(result: Json): boolean {
  return result !== null && typeof result === 'object' && !Array.isArray(result) && 'error' in result;
}
