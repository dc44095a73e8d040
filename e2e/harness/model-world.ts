/** A world whose assistant is a language model with tools: the provider is a fake that answers as the test says. */
import { startFakeModel, textsOf, type FakeModel, type ModelRequest } from '#testing';
import { startWorld, type World, type WorldOptions } from './world.js';

export interface ModelWorld extends World {
  /** Without a script it repeats what the customer said. */
  model: FakeModel;
}

export async function startModelWorld(options: WorldOptions): Promise<ModelWorld> {
  const model = await startFakeModel();
  model.always((request) => ({ text: `You said: ${newTexts(request).join(' / ')}` }));
  const env = { AI_MODEL: 'openai-compatible:scripted', OPENAI_BASE_URL: model.baseUrl, ...options.env };
  const world = await startWorld({ ...options, env }).catch(async (error: unknown) => {
    await model.close();
    throw error;
  });
  const { close } = world;
  return Object.assign(world, {
    model,
    close: async () => {
      await close();
      await model.close();
    },
  });
}

/** What the customer said in the batch that this question is about, oldest first. */
export function newTexts(request: ModelRequest): string[] {
  const count = /the last (\d+) of their messages/.exec(textsOf(request, 'system').join('\n'))?.[1];
  return textsOf(request, 'user').slice(-Number(count ?? 1));
}

/** What the tools of this batch have answered so far, as the model is shown it, oldest first. */
export function toolResults(request: ModelRequest | undefined): Record<string, unknown>[] {
  return request ? textsOf(request, 'tool').map((text) => JSON.parse(text) as Record<string, unknown>) : [];
}
