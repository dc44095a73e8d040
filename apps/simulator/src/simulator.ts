import { bootApp, readEnv } from '#process';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { type AccountOptions, DEFAULT_SETTINGS, type SimulatorSettings } from './options.js';
import { SimulatorModule } from './simulator.module.js';

export interface RunningSimulator {
  url: string;
  port: number;
  /** Stops listening, breaks open connections and forgets pending statuses and retries. */
  close(): Promise<void>;
}

export interface StartOptions {
  /** Default 0: any free port of the loopback address. */
  port?: number;
  accounts?: AccountOptions[];
  settings?: Partial<SimulatorSettings>;
}

/** A raw webhook of the control API may be as large as a test for body limits needs it. */
export const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * Starts the simulator in this process, on loopback. Accounts may also be added later by POST /control/accounts.
 * @throws Error when the port is taken.
 */
export async function startSimulator(options: StartOptions = {}): Promise<RunningSimulator> {
  const { url, port, close } = await bootApp({
    name: 'simulator',
    module: SimulatorModule.with({
      accounts: options.accounts ?? [],
      settings: { ...DEFAULT_SETTINGS, ...options.settings },
    }),
    env: readEnv({ HOST: '127.0.0.1', LOG_LEVEL: 'warn' }),
    port: options.port ?? 0,
    rawBodyLimit: BODY_LIMIT_BYTES,
    configure: hangUpAtClose,
  });
  return { url, port, close };
}

/** Live pages never hang up by themselves, and a call held by a scripted latency would hold the process. */
export function hangUpAtClose(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('preClose', (done) => {
    fastify.server.closeAllConnections();
    done();
  });
}
