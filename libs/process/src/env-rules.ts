/** Rules between variables, which no single bound can state. */
import type { Env } from './env-schema.js';

const PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;

/** Lines for the error of readEnv; empty when the values fit together. */
export function crossProblems(env: Env): string[] {
  return [...timing(env), ...model(env)];
}

function timing(env: Env): string[] {
  const problems: string[] = [];
  if (env.MAX_WAIT_MS < env.WINDOW_MS) {
    problems.push(
      `MAX_WAIT_MS is ${env.MAX_WAIT_MS}: must be at least WINDOW_MS (${env.WINDOW_MS}). Raise it or lower WINDOW_MS.`,
    );
  }
  if (env.LEASE_RENEW_MS * 2 > env.LEASE_MS) {
    // One missed renewal must not cost the lease.
    problems.push(
      `LEASE_RENEW_MS is ${env.LEASE_RENEW_MS}: must be at most half of LEASE_MS (${env.LEASE_MS}). ` +
        `Lower it or raise LEASE_MS.`,
    );
  }
  return problems;
}

function model(env: Env): string[] {
  if (env.AI_MODEL === 'demo') return [];
  if (env.AI_MODEL === 'http') {
    return needs(env, 'http', ['ASSISTANT_URL', 'ASSISTANT_SECRET']);
  }
  const [provider, ...name] = env.AI_MODEL.split(':');
  if (name.join(':') === '') return [unknownModel(env.AI_MODEL)];
  switch (provider) {
    case 'openai':
      return needs(env, env.AI_MODEL, ['OPENAI_API_KEY']);
    case 'anthropic':
      return needs(env, env.AI_MODEL, ['ANTHROPIC_API_KEY']);
    case 'google':
      return needs(env, env.AI_MODEL, ['GOOGLE_GENERATIVE_AI_API_KEY']);
    case 'openai-compatible':
      return needs(env, env.AI_MODEL, ['OPENAI_BASE_URL']);
    default:
      return [unknownModel(env.AI_MODEL)];
  }
}

function unknownModel(value: string): string {
  return `AI_MODEL is ${value}: must be demo, http or provider:model with provider one of ${PROVIDERS.join(', ')}.`;
}

function needs(env: Env, model: string, names: readonly (keyof Env)[]): string[] {
  return names
    .filter((name) => env[name] === undefined)
    .map((name) => `${name} is not set: AI_MODEL ${model} needs it.`);
}
