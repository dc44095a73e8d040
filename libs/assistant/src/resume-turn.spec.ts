import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Content } from '@ai-sdk/provider';
import { ModelAssistant } from './model-assistant.js';
import { CountingTool, MemoryJournal, neverAborted, stillHeld, turnOf } from './spec-kit.js';

const usage = {
  inputTokens: { total: 1, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: undefined, reasoning: undefined },
};

/** Follows the transcript as a real model does, but words every answer differently. */
class RewordingModel implements Partial<LanguageModelV3> {
  readonly specificationVersion = 'v3';
  readonly provider = 'spec';
  readonly modelId = 'rewording';
  readonly supportedUrls = {};
  asked = 0;

  doGenerate({ prompt }: LanguageModelV3CallOptions) {
    const wording = `wording ${++this.asked}`;
    const call = (toolName: string, id: string): LanguageModelV3Content => ({
      type: 'tool-call',
      toolCallId: id,
      toolName,
      input: JSON.stringify({ what: wording }),
    });
    const answers = prompt.filter(({ role }) => role === 'assistant').length;
    const script = [
      [call('hold', 'a'), call('note', 'b')],
      [call('tag', 'c')],
      [{ type: 'text' as const, text: `done, ${wording}` }],
    ];
    const reason = answers < 2 ? ('tool-calls' as const) : ('stop' as const);
    const content = script[answers] ?? [];
    return Promise.resolve({ content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] });
  }
}

function setUp() {
  const model = new RewordingModel();
  const tools = ['hold', 'note', 'tag'].map((name) => new CountingTool(name));
  const journal = new MemoryJournal();
  const assistant = new ModelAssistant('spec', model as unknown as LanguageModelV3, {
    modelTimeoutMs: 1000,
    toolTimeoutMs: 1000,
    maxSteps: 8,
    historyTokens: 1000,
    partLength: () => 4096,
  });
  const attempt = () => assistant.answer(turnOf(['book me in']), { journal, tools, signal: neverAborted, stillHeld });
  return { model, tools, journal, attempt };
}

/** Three answers, three calls with a start and a finish each. */
const WRITES = 9;
const cuts = Array.from({ length: WRITES }, (_, i) => i + 1).flatMap((at) => [
  { at, when: 'before' as const },
  { at, when: 'after' as const },
]);

describe('a turn that is cut off and resumed', () => {
  it('takes the writes that the cuts below go through', async () => {
    const { journal, attempt } = setUp();
    expect(await attempt()).toEqual({ kind: 'reply', parts: ['done, wording 3'] });
    expect(journal.writes).toBe(WRITES);
  });

  it.each(cuts)('has each effect once when cut $when write $at', async (cut) => {
    const { model, tools, journal, attempt } = setUp();
    journal.cut = cut;
    await expect(attempt()).rejects.toThrow('cut');
    journal.cut = null;
    const answer = await attempt();
    expect(answer).toMatchObject({ kind: 'reply', parts: [expect.stringMatching(/^done/)] });
    for (const tool of tools) {
      expect(tool.runs.size).toBe(1);
      // Run again or not, the arguments are those that were journaled first.
      for (const runs of tool.runs.values()) expect(new Set(runs.map((args) => args['what'])).size).toBe(1);
    }
    expect(tools.flatMap((tool) => [...tool.runs.keys()])).toEqual(['b1:1', 'b1:2', 'b1:4']);
    // Only an answer that was lost before its write is asked for again.
    const answersLost = cut.when === 'before' && [1, 6, 9].includes(cut.at) ? 1 : 0;
    expect(model.asked).toBe(3 + answersLost);
  });

  it('survives a cut at every write, one attempt after the other', async () => {
    const { tools, journal, attempt } = setUp();
    for (let cutoffs = 0; cutoffs < WRITES; cutoffs++) {
      journal.cut = { at: journal.writes + 1, when: 'after' };
      await attempt().catch(() => undefined);
    }
    journal.cut = null;
    await expect(attempt()).resolves.toMatchObject({ kind: 'reply' });
    for (const tool of tools) expect(tool.runs.size).toBe(1);
  });

  it('asks no model once the final answer is journaled', async () => {
    const { model, attempt } = setUp();
    const first = await attempt();
    model.asked = 0;
    expect(await attempt()).toEqual(first);
    expect(model.asked).toBe(0);
  });
});
