/** Rings the router: on a wake-up at once, otherwise with every sweep. */
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Drain, Env, LOG, RepeatingTask } from '#process';
import type { Log } from '#process';
import { Consumers } from '#queue';
import { RouteEvents } from './route-events.js';

@Injectable()
export class EventsProcessor implements OnModuleInit, OnApplicationBootstrap {
  private readonly task: RepeatingTask;

  constructor(
    @Inject(Env) env: Env,
    @Inject(LOG) log: Log,
    private readonly consumers: Consumers,
    router: RouteEvents,
    drain: Drain,
  ) {
    this.task = new RepeatingTask({ name: 'route events', everyMs: env.SWEEP_MS, run: () => router.pass(), log });
    drain.onDrain('route events', () => this.task.stop());
  }

  onModuleInit(): void {
    this.consumers.consume('events', () => this.task.ring());
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }
}
