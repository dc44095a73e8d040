import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { defaultSettingsMiddleware, wrapLanguageModel, type LanguageModel } from 'ai';
import { DemoModel } from './demo-model.js';

export interface ProviderAccess {
  apiKey?: string | undefined;
  baseURL?: string | undefined;
}

export interface ModelAccess {
  openai?: ProviderAccess | undefined;
  anthropic?: ProviderAccess | undefined;
  google?: ProviderAccess | undefined;
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * The model that AI_MODEL names: `demo` or `provider:model`.
 * @throws when the provider is not known, or its key or address is missing: at boot, not at the first customer.
 */
export function chooseModel(name: string, access: ModelAccess): LanguageModel {
  if (name === 'demo') return new DemoModel();
  const colon = name.indexOf(':');
  const [provider, model] = [name.slice(0, colon), name.slice(colon + 1)];
  if (colon < 1 || model === '') throw new Error(`AI_MODEL must be demo, http or provider:model, not ${name}`);
  const fetch = withoutRedirects(access.fetch ?? globalThis.fetch);
  switch (provider) {
    case 'openai':
      return openaiModel(model, { ...access.openai, apiKey: keyOf('OPENAI_API_KEY', access.openai) }, fetch);
    case 'openai-compatible':
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: required('OPENAI_BASE_URL', access.openai?.baseURL),
        // Servers of one's own often have no key.
        ...(access.openai?.apiKey ? { apiKey: access.openai.apiKey } : {}),
        fetch,
      }).chatModel(model);
    case 'anthropic':
      return createAnthropic({
        ...settings(access.anthropic),
        apiKey: keyOf('ANTHROPIC_API_KEY', access.anthropic),
        fetch,
      })(model);
    case 'google':
      return createGoogleGenerativeAI({
        ...settings(access.google),
        apiKey: keyOf('GOOGLE_GENERATIVE_AI_API_KEY', access.google),
        fetch,
      })(model);
    default:
      throw new Error(
        `AI_MODEL names the provider ${provider}; known are openai, anthropic, google, openai-compatible`,
      );
  }
}

/**
 * OpenAI itself is spoken to by the Responses API, whose answers we keep ourselves: with `store` on, a later attempt
 * would refer to their copy by id. A base URL means another server, and those speak chat completions.
 */
function openaiModel(model: string, access: ProviderAccess, fetch: typeof globalThis.fetch): LanguageModel {
  const openai = createOpenAI({ ...settings(access), fetch });
  if (access.baseURL) return openai.chat(model);
  const middleware = defaultSettingsMiddleware({ settings: { providerOptions: { openai: { store: false } } } });
  return wrapLanguageModel({ model: openai.responses(model), middleware });
}

function settings({ apiKey, baseURL }: ProviderAccess = {}): { apiKey?: string; baseURL?: string } {
  return { ...(apiKey ? { apiKey } : {}), ...(baseURL ? { baseURL } : {}) };
}

function keyOf(variable: string, access: ProviderAccess | undefined): string {
  return required(variable, access?.apiKey);
}

function required(variable: string, value: string | undefined): string {
  if (!value) throw new Error(`${variable} is needed for this AI_MODEL`);
  return value;
}

/** A redirect would carry the key's header, and what customers wrote, to wherever it points. */
function withoutRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: 'error' });
}
