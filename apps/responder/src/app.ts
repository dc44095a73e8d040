import type { AppOptions, Env } from '#process';
import { ResponderModule } from './app.module.js';

/** Runs the assistant's turns and delivers what they say. */
export function responderApp(env: Readonly<Env>): Omit<AppOptions, 'env' | 'log'> {
  return { name: 'responder', module: ResponderModule.forService(env), port: env.RESPONDER_PORT };
}
