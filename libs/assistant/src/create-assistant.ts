import type { Assistant } from '#domain';
import { chooseModel, type ModelAccess } from './choose-model.js';
import { HttpAssistant } from './http-assistant.js';
import { ModelAssistant, type ModelLimits } from './model-assistant.js';

export interface AssistantOptions extends ModelAccess, Omit<ModelLimits, 'maxSteps' | 'historyTokens'> {
  /** `demo`, `http`, or `provider:model` with openai, anthropic, google or openai-compatible. */
  model: string;
  /** 8 when not given. */
  maxSteps?: number | undefined;
  /** 4000 when not given. */
  historyTokens?: number | undefined;
  /** For `http`: the address and the secret that signs each body. */
  http?: { url?: string | undefined; secret?: string | undefined } | undefined;
}

/** The assistant that the settings name. @throws when they are incomplete, so that a service refuses to start. */
export function createAssistant(options: AssistantOptions): Assistant {
  const limits = { ...options, maxSteps: options.maxSteps ?? 8, historyTokens: options.historyTokens ?? 4000 };
  if (options.model !== 'http') {
    const secrets = [options.openai, options.anthropic, options.google].flatMap((access) => access?.apiKey || []);
    return new ModelAssistant(options.model, chooseModel(options.model, options), limits, secrets);
  }
  const { url, secret } = options.http ?? {};
  if (!url || !secret) throw new Error('AI_MODEL=http needs ASSISTANT_URL and ASSISTANT_SECRET');
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Error('ASSISTANT_URL must be an http or https address');
  return new HttpAssistant({ url, secret, fetch: options.fetch ?? globalThis.fetch }, limits);
}
