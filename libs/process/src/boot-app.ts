/** One service of a process: a Nest app on Fastify with health and metrics, listening. */
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Drain } from './drain.js';
import type { Env } from './env-schema.js';
import { createLogger, type Log } from './log.js';
import { Metrics } from './metrics.js';
import { NestLog } from './nest-log.js';
import { ProcessModule } from './process.module.js';
import { keepRawBodies } from './raw-body.js';
import { Readiness } from './readiness.js';
import { listen } from './listen.js';
import { settlesWithin } from './time.js';

/** How long connections get to close; a Redis that never answers would hold the process for good. */
const CLOSE_MS = 5000;

export interface AppOptions {
  /** ingest, batcher, …: the name in logs and metrics. */
  name: string;
  module: Type | DynamicModule;
  /** 0: any free one. */
  port: number;
  env: Readonly<Env>;
  log?: Log;
  /** Set: bodies stay Buffers, at most this many bytes. Not set: JSON is parsed as usual. */
  rawBodyLimit?: number;
  /** Between creation and listening: pipes, guards, OpenAPI, static files. */
  configure?: (app: NestFastifyApplication) => void | Promise<void>;
}

export interface RunningApp {
  name: string;
  url: string;
  port: number;
  log: Log;
  app: NestFastifyApplication;
  /** Readiness fails, then the drain hooks run, for at most SHUTDOWN_GRACE_MS. */
  drain(): Promise<void>;
  /** Ends connections and the listener; bounded, never throws. */
  close(): Promise<void>;
}

@Module({})
class ServiceModule {}

/** @throws StartRefusal in one clear line when the port cannot be had; nothing is left running then. */
export async function bootApp(options: AppOptions): Promise<RunningApp> {
  const { name, env } = options;
  const log = options.log ?? createLogger(name, env.LOG_LEVEL);
  const readiness = new Readiness();
  const drain = new Drain();
  const parts = ProcessModule.of({ env, log, metrics: new Metrics(name), readiness, drain });
  const root = { module: ServiceModule, imports: [parts, options.module] };
  const adapter = new FastifyAdapter({ bodyLimit: env.BODY_LIMIT_BYTES });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    bodyParser: options.rawBodyLimit === undefined,
    logger: new NestLog(log),
    abortOnError: false,
  });
  const close = () => closeApp(app, log);
  try {
    if (options.rawBodyLimit !== undefined) keepRawBodies(app, options.rawBodyLimit);
    await options.configure?.(app);
    const { url, port } = await listen(app, env.HOST, options.port, name);
    log.info({ url }, 'listening');
    return { name, url, port, log, app, close, drain: () => drainApp(readiness, drain, env, log) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function drainApp(readiness: Readiness, drain: Drain, env: Readonly<Env>, log: Log): Promise<void> {
  readiness.startDraining();
  await drain.run(env.SHUTDOWN_GRACE_MS, log);
}

async function closeApp(app: NestFastifyApplication, log: Log): Promise<void> {
  const closed = app.close().catch((error: unknown) => log.error({ err: error }, 'closing failed'));
  // A page that listens for live events never hangs up by itself.
  app.getHttpServer().closeIdleConnections();
  if (await settlesWithin(closed, CLOSE_MS)) return;
  app.getHttpServer().closeAllConnections();
  log.warn({ closeMs: CLOSE_MS }, 'stopped before everything was closed');
}
