import type { AppOptions, Env } from '#process';
import { BatcherModule } from './app.module.js';

/** Routes events into batches, keeps their windows, and sweeps up what anything else has left behind. */
export function batcherApp(env: Readonly<Env>): Omit<AppOptions, 'env' | 'log'> {
  return { name: 'batcher', module: BatcherModule.forService(env), port: env.BATCHER_PORT };
}
