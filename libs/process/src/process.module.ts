/** What every service has: environment, logger, metrics, health, drain. Global, so that apps just inject it. */
import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Drain } from './drain.js';
import { Env } from './env-schema.js';
import { HealthController } from './health.controller.js';
import { LOG, type Log } from './log.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { Readiness } from './readiness.js';

export interface ServiceParts {
  env: Readonly<Env>;
  log: Log;
  metrics: Metrics;
  readiness: Readiness;
  drain: Drain;
}

@Module({})
export class ProcessModule {
  static of(parts: ServiceParts): DynamicModule {
    const providers = [
      { provide: Env, useValue: parts.env },
      { provide: LOG, useValue: parts.log },
      { provide: Metrics, useValue: parts.metrics },
      { provide: Readiness, useValue: parts.readiness },
      { provide: Drain, useValue: parts.drain },
    ];
    return {
      module: ProcessModule,
      global: true,
      // Terminus logs a failing check at every probe; the answer itself says it.
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController, MetricsController],
      providers,
      exports: providers.map((provider) => provider.provide),
    };
  }
}
