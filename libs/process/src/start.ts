/** What the main of a service calls. */
import { bootApp, type AppOptions, type RunningApp } from './boot-app.js';
import { unusedSettings } from './describe-env.js';
import { readEnv } from './env.js';
import type { Env } from './env-schema.js';
import { createLogger, type Log } from './log.js';
import { runProcess } from './run-process.js';
import { StartRefusal } from './start-refusal.js';

export interface ServiceOptions extends Pick<AppOptions, 'name' | 'rawBodyLimit' | 'configure'> {
  /** The service's module; may throw EnvError (requireDatabaseUrl does) to refuse to start. */
  module: (env: Readonly<Env>) => AppOptions['module'];
  port: (env: Readonly<Env>) => number;
}

/** Runs one service as this process. Exits 1 with one clear message when it cannot start. */
export function startService(options: ServiceOptions): Promise<void> {
  return startProcess(options.name, async (env, log) => {
    const { module, port, ...rest } = options;
    return [await bootApp({ ...rest, module: module(env), port: port(env), env, log })];
  });
}

/**
 * Runs several apps as this process (standalone does). Exits 1 with one clear message when one of them cannot start.
 * @param boot boots them in order and returns them.
 * @param beforeExit what belongs to the process and not to an app; runs after a failed boot too.
 */
export async function startProcess(
  name: string,
  boot: (env: Readonly<Env>, log: Log) => Promise<RunningApp[]>,
  beforeExit?: () => Promise<void>,
): Promise<void> {
  let log = createLogger(name);
  try {
    const env = readEnv();
    log = createLogger(name, env.LOG_LEVEL);
    for (const warning of unusedSettings(env.OVERLAP_STRATEGY)) log.warn(warning);
    const booting = boot(env, log);
    runProcess(booting, log, beforeExit);
    await booting;
  } catch (error) {
    // A refusal is for a person at a terminal; everything else needs its stack.
    if (error instanceof StartRefusal) process.stderr.write(`${name}: ${error.message}\n`);
    else log.fatal({ err: error }, error instanceof Error ? error.message : 'cannot start');
    await beforeExit?.().catch(() => undefined);
    process.exit(1);
  }
}
