/** Every variable of the environment as one DTO; each group extends the one before it, this one is the last. */
import { ChannelsEnv } from './env-channels.js';
import { Address, Secret, Text, Whole } from './env-setting.js';

const HOUR = 3_600_000;

/** The environment, checked and typed. Injectable by its class; nothing but readEnv makes one. */
export class Env extends ChannelsEnv {
  @Text('who answers: demo, http, or provider:model with provider openai, anthropic, google, openai-compatible')
  AI_MODEL = 'demo';

  @Text('file with what the assistant is and knows')
  AI_INSTRUCTIONS_FILE?: string;

  @Whole(0, 1_000_000, 'tokens of earlier conversation that the model is shown, roughly counted')
  AI_HISTORY_TOKENS = 4000;

  @Address(['http', 'https'], 'service that answers when AI_MODEL is http')
  ASSISTANT_URL?: string;

  @Secret('secret that signs what is posted to it')
  ASSISTANT_SECRET?: string;

  @Secret('key for provider openai, and for openai-compatible where the server wants one')
  OPENAI_API_KEY?: string;

  @Address(['http', 'https'], 'base address for provider openai and openai-compatible')
  OPENAI_BASE_URL?: string;

  @Secret('key for provider anthropic')
  ANTHROPIC_API_KEY?: string;

  @Secret('key for provider google')
  GOOGLE_GENERATIVE_AI_API_KEY?: string;

  @Address(['http', 'https'], 'told of every opened review, paused account and case that waits too long')
  ALERT_WEBHOOK_URL?: string;

  @Whole(1000, 30 * 24 * HOUR, 'ms that a case may wait before it is announced there again')
  ALERT_AFTER_MS = 900_000;

  @Text('sign-in name of the first operator')
  CONSOLE_ADMIN_EMAIL?: string;

  @Secret('password of the first operator')
  CONSOLE_ADMIN_PASSWORD?: string;

  @Secret('bearer token for programs; not set: the console listens on loopback only')
  CONSOLE_API_TOKEN?: string;
}
