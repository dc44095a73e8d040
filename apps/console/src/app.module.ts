import { Module, type DynamicModule } from '@nestjs/common';
import { InboxModule } from '#inbox';
import type { Env } from '#process';
import { QueueModule } from '#queue';
import { AccountsController } from './accounts.controller.js';
import { ConversationsController } from './conversations.controller.js';
import { LedgerController } from './ledger.controller.js';
import { LiveController } from './live.controller.js';
import { LiveFeed } from './live-feed.js';
import { PageController } from './page.controller.js';
import { PersonRulesOf } from './person-rules.js';
import { QueueBoard } from './queue-board.js';
import { ReviewsController } from './reviews.controller.js';
import { TellOthers } from './tell-others.js';

@Module({})
export class ConsoleModule {
  static forService(env: Readonly<Env>): DynamicModule {
    return {
      module: ConsoleModule,
      imports: [InboxModule.forService('console', env), QueueModule.forService({ wakes: ['turns', 'deliveries'] })],
      controllers: [
        PageController,
        ConversationsController,
        ReviewsController,
        LedgerController,
        AccountsController,
        LiveController,
      ],
      providers: [PersonRulesOf, TellOthers, LiveFeed, QueueBoard],
    };
  }
}
