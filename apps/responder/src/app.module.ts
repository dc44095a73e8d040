import { Module, type DynamicModule } from '@nestjs/common';
import { InboxModule } from '#inbox';
import type { Env } from '#process';
import { QueueModule } from '#queue';
import { ASSISTANT, assistantOfEnv, INSTRUCTIONS, readInstructions } from './assistant-of-env.js';
import { DeliverPart } from './deliver-part.js';
import { DeliveryProcessor } from './delivery.processor.js';
import { LeaseHeartbeat } from './lease-heartbeat.js';
import { Presence } from './presence.js';
import { RunTurn } from './run-turn.js';
import { TurnProcessor } from './turn.processor.js';

@Module({})
export class ResponderModule {
  static forService(env: Readonly<Env>): DynamicModule {
    return {
      module: ResponderModule,
      imports: [
        InboxModule.forService('responder', env),
        QueueModule.forService({ consumes: ['turns', 'deliveries'], wakes: ['turns', 'deliveries', 'events'] }),
      ],
      providers: [
        { provide: ASSISTANT, useFactory: () => assistantOfEnv(env) },
        { provide: INSTRUCTIONS, useFactory: () => readInstructions(env) },
        LeaseHeartbeat,
        Presence,
        RunTurn,
        TurnProcessor,
        DeliverPart,
        DeliveryProcessor,
      ],
    };
  }
}
