/** Bull Board at /queues: to look at the wake-ups. Nothing depends on it, so it never keeps the console from starting. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Env, LOG, RepeatingTask } from '#process';
import type { Log } from '#process';
import { queuesForBoard, type BoardQueues } from '#queue';

const PATH = '/queues';
/** Between two tries to reach the queues, ms. */
const RETRY_MS = 5_000;

@Injectable()
export class QueueBoard implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = new FastifyAdapter();
  private readonly board = createBullBoard({
    queues: [],
    // The adapter brings a copy of the board's types of its own, of a neighbouring version.
    serverAdapter: this.server as never,
    options: { uiConfig: { boardTitle: 'oneturn' } },
  });
  private readonly connecting: RepeatingTask;
  private found: BoardQueues | null = null;

  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.connecting = new RepeatingTask({ name: 'queue board', everyMs: RETRY_MS, run: () => this.connect(), log });
  }

  /** Before the app listens: Fastify takes no routes later. */
  mount(app: NestFastifyApplication): void {
    this.server.setBasePath(PATH);
    void app
      .getHttpAdapter()
      .getInstance()
      .register(this.server.registerPlugin() as never, { prefix: PATH } as never);
  }

  onApplicationBootstrap(): void {
    this.connecting.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.connecting.stop();
    await this.found?.close();
  }

  private async connect(): Promise<void> {
    if (this.found !== null) return;
    this.found = await queuesForBoard(this.env, this.log);
    this.board.setQueues(this.found.queues.map((queue) => new BullMQAdapter(queue)));
  }
}
