import { type DynamicModule, Module } from '@nestjs/common';

import { AcceptMessage } from './accept-message.js';
import { Accounts } from './accounts.js';
import { CallLog } from './call-log.js';
import { Chats } from './chats.js';
import { Clock } from './clock.js';
import { CloudApiController } from './cloud-api.controller.js';
import { ControlController } from './control.controller.js';
import { DeliverInbound } from './deliver-inbound.js';
import { DeliverRaw } from './deliver-raw.js';
import { EmitStatuses } from './emit-statuses.js';
import { FaultsController } from './faults.controller.js';
import { Faults } from './faults.js';
import { HandleCall } from './handle-call.js';
import { LiveFeed } from './live-feed.js';
import { LiveController } from './live.controller.js';
import { LogController } from './log.controller.js';
import { MarkRead } from './mark-read.js';
import { NoteRawMessages } from './note-raw-messages.js';
import { SIMULATOR_OPTIONS, type SimulatorOptions } from './options.js';
import { PageController } from './page.controller.js';
import { PairLimit } from './pair-limit.js';
import { People } from './people.js';
import { Settings } from './settings.js';
import { Timers } from './timers.js';
import { Webhooks } from './webhooks.js';
import { WriteAsPerson } from './write-as-person.js';

/** The fake channel, its control API and the phone page. */
@Module({})
export class SimulatorModule {
  static with(options: SimulatorOptions): DynamicModule {
    return {
      module: SimulatorModule,
      controllers: [
        PageController,
        LogController,
        LiveController,
        FaultsController,
        ControlController,
        CloudApiController,
      ],
      providers: [
        { provide: SIMULATOR_OPTIONS, useValue: options },
        AcceptMessage,
        Accounts,
        CallLog,
        Chats,
        Clock,
        DeliverInbound,
        DeliverRaw,
        EmitStatuses,
        Faults,
        HandleCall,
        LiveFeed,
        MarkRead,
        NoteRawMessages,
        PairLimit,
        People,
        Settings,
        Timers,
        Webhooks,
        WriteAsPerson,
      ],
    };
  }
}
