import { Module, type DynamicModule } from '@nestjs/common';
import { InboxModule } from '#inbox';
import type { Env } from '#process';
import { QueueModule } from '#queue';
import { EventsProcessor } from './events.processor.js';
import { Janitor } from './janitor.js';
import { RouteEvents } from './route-events.js';
import { WindowProcessor } from './window.processor.js';

@Module({})
export class BatcherModule {
  static forService(env: Readonly<Env>): DynamicModule {
    return {
      module: BatcherModule,
      imports: [
        InboxModule.forService('batcher', env),
        QueueModule.forService({
          consumes: ['events', 'windows'],
          wakes: ['events', 'turns', 'deliveries'],
          arms: true,
        }),
      ],
      providers: [RouteEvents, EventsProcessor, WindowProcessor, Janitor],
    };
  }
}
