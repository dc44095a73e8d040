import { Module, type DynamicModule } from '@nestjs/common';
import { InboxModule } from '#inbox';
import type { Env } from '#process';
import { QueueModule } from '#queue';
import { ReceiveEvents } from './receive-events.js';
import { VerifyToken } from './verify-token.js';
import { WhatsAppController } from './whatsapp.controller.js';

@Module({})
export class IngestModule {
  static forService(env: Readonly<Env>): DynamicModule {
    return {
      module: IngestModule,
      imports: [InboxModule.forService('ingest', env), QueueModule.forService({ wakes: ['events'] })],
      controllers: [WhatsAppController],
      providers: [ReceiveEvents, VerifyToken],
    };
  }
}
