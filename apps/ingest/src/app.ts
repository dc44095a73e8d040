import type { AppOptions } from '#process';
import type { Env } from '#process';
import { IngestModule } from './app.module.js';
import { addWebhookRoutes } from './webhook-routes.js';

/** Receives webhooks; their bodies stay bytes, because bytes are what was signed. */
export function ingestApp(env: Readonly<Env>): Omit<AppOptions, 'env' | 'log'> {
  return {
    name: 'ingest',
    module: IngestModule.forService(env),
    port: env.INGEST_PORT,
    rawBodyLimit: env.BODY_LIMIT_BYTES,
    configure: addWebhookRoutes,
  };
}
