import type { Json, ToolCall } from '#domain';

interface Effect {
  call: ToolCall;
  result: Json;
  /** Position of the answer that asked for it. */
  answer: number;
}

/**
 * The effects that earlier attempts at this batch had. A model that is asked on after a failure may ask for the same
 * tool once more, perhaps in other words, although the transcript shows that it ran. Nobody can tell that from a second
 * wish of the customer, so each earlier effect answers one new call of its tool, and a note says how to insist.
 * Case: the model calls a tool, fails, and in the second attempt calls it again.
 */
export class EarlierEffects {
  private readonly byTool = new Map<string, Effect[]>();

  add(effect: Effect): void {
    const effects = this.byTool.get(effect.call.name) ?? [];
    // A repeat carries the key of its original: one effect, however often it was asked for.
    if (!effects.some(({ call }) => call.key === effect.call.key)) effects.push(effect);
    this.byTool.set(effect.call.name, effects);
  }

  /** The effect of an earlier answer that stands for this new call of the tool, if one is left. */
  take(name: string, answer: number): Effect | undefined {
    const effects = this.byTool.get(name) ?? [];
    // Two calls in one answer are two wishes.
    const at = effects.findIndex((effect) => effect.answer < answer);
    return at === -1 ? undefined : effects.splice(at, 1)[0];
  }
}

/** The stored result, with a note for the model. */
export function repeatedResult({ call, result }: Effect): Json {
  const note =
    `Not run again: ${call.name} already ran in this turn with ${JSON.stringify(call.args)} and this is its result. ` +
    'If the customer wants it a second time, call the tool once more.';
  const fields = result !== null && typeof result === 'object' && !Array.isArray(result) ? result : { result };
  return { ...fields, note };
}
