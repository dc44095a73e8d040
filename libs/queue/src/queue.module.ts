/** What an app imports to wake others and to be woken. */
import { Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Drain, Env, LOG, Metrics } from '#process';
import type { Log } from '#process';
import type { QueueBackend } from './backend.js';
import { chooseBackend } from './choose-backend.js';
import { Consumers } from './consumers.js';
import type { QueueName, WakeupQueue } from './names.js';
import { Wakeups } from './wakeups.js';
import { WindowJobs } from './window-jobs.js';

export interface QueueModuleOptions {
  consumes?: readonly QueueName[];
  /** Wake-ups that the service sends. */
  wakes?: readonly WakeupQueue[];
  /** Whether it arms windows. */
  arms?: boolean;
}

const BACKEND = Symbol('queue backend');

/** Starts the workers when every provider had its chance to register a handler, and ends everything in order. */
class QueueLife implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly backend: QueueBackend,
    private readonly consumers: Consumers,
    private readonly wakeups: Wakeups,
    private readonly windows: WindowJobs | null,
    drain: Drain,
  ) {
    drain.onDrain('queue workers', () => consumers.stop());
  }

  onApplicationBootstrap(): void {
    this.consumers.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.consumers.stop(), this.wakeups.close(), this.windows?.close()]);
    await this.backend.close();
  }
}

@Module({})
export class QueueModule {
  /** Offers Consumers and Wakeups, and WindowJobs where `arms` is set. Boots whether or not the backend is there. */
  static forService(options: QueueModuleOptions): DynamicModule {
    const { consumes = [], wakes = [], arms = false } = options;
    const use = { consumes: consumes.length, produces: wakes.length + (arms ? 1 : 0) };
    const exported = [
      {
        provide: Consumers,
        inject: [BACKEND, LOG],
        useFactory: (backend: QueueBackend, log: Log) => new Consumers(backend, consumes, log),
      },
      {
        provide: Wakeups,
        inject: [BACKEND, LOG, Metrics],
        useFactory: (backend: QueueBackend, log: Log, metrics: Metrics) => makeWakeups(backend, wakes, log, metrics),
      },
      ...(arms
        ? [
            {
              provide: WindowJobs,
              inject: [BACKEND, LOG],
              useFactory: (backend: QueueBackend, log: Log) => new WindowJobs(backend, log),
            },
          ]
        : []),
    ];
    const backend = {
      provide: BACKEND,
      inject: [Env, LOG],
      useFactory: (env: Env, log: Log) => chooseBackend(env, use, log),
    };
    const life = {
      provide: QueueLife,
      inject: [BACKEND, Consumers, Wakeups, Drain, { token: WindowJobs, optional: true }],
      useFactory: (made: QueueBackend, consumers: Consumers, wakeups: Wakeups, drain: Drain, windows?: WindowJobs) =>
        new QueueLife(made, consumers, wakeups, windows ?? null, drain),
    };
    return {
      module: QueueModule,
      providers: [backend, ...exported, life],
      exports: exported.map((provider) => provider.provide),
    };
  }
}

function makeWakeups(backend: QueueBackend, names: readonly WakeupQueue[], log: Log, metrics: Metrics): Wakeups {
  const counter = metrics.counter('wakeups_total', 'wake-ups by queue and outcome', ['queue', 'outcome']);
  return new Wakeups(backend, names, log, (queue, outcome) => counter.inc({ queue, outcome }));
}
