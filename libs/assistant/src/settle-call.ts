import type { Json, JournalStep, ToolCall, TurnContext, TurnRun } from '#domain';
import type { AnswerCall } from './answer-content.js';
import { EarlierEffects, repeatedResult } from './earlier-effects.js';
import { isRefusal, runTool } from './run-tool.js';
import { whyRefused } from './tool-arguments.js';

/** Brings the calls of a batch to their results, each exactly once, whatever earlier attempts left in the journal. */
export class CallSettler {
  private readonly earlier = new EarlierEffects();

  constructor(
    private readonly turn: TurnContext,
    private readonly run: TurnRun,
    private readonly steps: ReadonlyMap<number, JournalStep>,
    private readonly timeoutMs: number,
  ) {}

  /**
   * The result of the call at `position`, asked for by the answer at `answer`; `replayed`: that comes from the journal.
   * A finished call has its result there; a started one runs again as it was started, with its journaled key and
   * arguments. One that had not begun is judged like a new one: its answer may itself have been a repeat.
   * @throws as runTool and the journal do: the attempt fails or stops.
   */
  async settle(position: number, wanted: AnswerCall, answer: number, replayed: boolean): Promise<Json> {
    this.run.signal.throwIfAborted();
    const step = this.steps.get(position);
    if (step?.kind === 'answer') throw new Error(`the journal has an answer at ${position}, where a call belongs`);
    const earlier = step ? undefined : this.earlierEffect(wanted, answer);
    const call = step?.call ?? {
      id: wanted.toolCallId,
      name: wanted.toolName,
      args: wanted.input,
      // The position and not the arguments makes the key: the model may word them differently next time.
      key: earlier?.call.key ?? `${this.turn.batch.id}:${position}`,
    };
    const result =
      step?.state === 'finished'
        ? step.result
        : await this.execute(position, call, wanted, earlier && repeatedResult(earlier));
    if (replayed && this.isEffectful(call.name) && !isRefusal(result) && !earlier)
      this.earlier.add({ call, result, answer });
    return result;
  }

  private async execute(
    position: number,
    call: ToolCall,
    wanted: AnswerCall,
    repeated: Json | undefined,
  ): Promise<Json> {
    const { journal, tools, signal, stillHeld } = this.run;
    const tool = tools.find(({ name }) => name === call.name);
    await journal.startTool(position, call, tool?.effect ?? 'read-only');
    const refused = repeated === undefined ? whyRefused({ ...wanted, input: call.args }, tool, tools) : null;
    let result: Json = repeated ?? { error: refused };
    if (repeated === undefined && refused === null && tool) {
      stillHeld();
      result = await runTool(tool, call, this.turn, { timeoutMs: this.timeoutMs, signal });
    }
    await journal.finishTool(position, result);
    return result;
  }

  private earlierEffect(wanted: AnswerCall, answer: number): ReturnType<EarlierEffects['take']> {
    return this.isEffectful(wanted.toolName) ? this.earlier.take(wanted.toolName, answer) : undefined;
  }

  private isEffectful(name: string): boolean {
    return this.run.tools.some((tool) => tool.name === name && tool.effect === 'effectful');
  }
}
