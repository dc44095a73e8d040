/** One pass of the router, and what follows from it after the commit: logs, delayed jobs, wake-ups. */
import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  AccountDirectory,
  Database,
  isolateEvent,
  isOutage,
  PolicyChoices,
  policyOfEnv,
  routeEvents,
  unroutedIds,
  type OpenedReview,
  type OverlapNews,
  type Routed,
  type RouteOptions,
} from '#inbox';
import { Env, LOG, logEvent, Metrics } from '#process';
import type { Log, PassResult } from '#process';
import { Wakeups, WindowJobs } from '#queue';

/** Events of one transaction. Larger ones would hold many conversations locked for long. */
const GROUP = 200;

@Injectable()
export class RouteEvents {
  private readonly outcomes;
  private readonly overlaps;

  constructor(
    @Inject(Env) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
    private readonly db: Database,
    private readonly accounts: AccountDirectory,
    private readonly wakeups: Wakeups,
    private readonly windows: WindowJobs,
    metrics: Metrics,
    @Optional() private readonly choices?: PolicyChoices,
  ) {
    this.overlaps = metrics.counter('overlaps_total', 'messages by what others did to them', ['strategy', 'reason']);
    this.outcomes = metrics.counter('events_routed_total', 'routed events by place', ['place']);
  }

  async pass(): Promise<PassResult> {
    const routed = await this.routeGroup();
    if (routed) {
      this.follow(routed);
      return routed.taken === GROUP ? 'again' : undefined;
    }
    await this.routeOneByOne();
    return undefined;
  }

  /** Null: the group cannot be routed together, because of one of its events. */
  private async routeGroup(): Promise<Routed | null> {
    try {
      return await this.route({ limit: GROUP });
    } catch (error) {
      if (isOutage(error)) throw error;
      this.log.error({ err: error }, 'a group of events cannot be routed: taking them one by one');
      return null;
    }
  }

  /** Finds the event that breaks its group and hands it to a person; its neighbours go their way. */
  private async routeOneByOne(): Promise<void> {
    for (const id of await unroutedIds(this.db, GROUP)) {
      try {
        this.follow(await this.route({ limit: 1, only: id }));
      } catch (error) {
        if (isOutage(error)) throw error;
        this.log.error({ err: error, event: id }, 'an event cannot be routed: a person must look at it');
        this.tell(await isolateEvent(this.db, id, error instanceof Error ? error.message : String(error)));
      }
    }
  }

  private route(which: Pick<RouteOptions, 'limit' | 'only'>): Promise<Routed> {
    return routeEvents(this.db, this.accounts, {
      ...which,
      policy: policyOfEnv(this.env),
      choices: this.choices,
      bounds: { maxMessages: this.env.MAX_BATCH_MESSAGES, maxCharacters: this.env.MAX_BATCH_CHARACTERS },
      takeoverMs: this.env.TAKEOVER_TIMEOUT_MS,
    });
  }

  private follow(routed: Routed): void {
    for (const { row, placement, conversationId, opens, strategy } of routed.placed) {
      this.outcomes.inc({ place: placement.kind });
      if (row.event.kind !== 'message') continue;
      const fields = { messageId: row.externalId, conversationId, eventId: row.id };
      logEvent(this.log, 'message-received', { ...fields, place: placement.kind });
      if (placement.kind !== 'batch' || strategy !== 'batch') continue;
      this.overlaps.inc({ strategy, reason: opens ? 'debouncing' : 'debounce-reset' });
      logEvent(this.log, opens ? 'message-debouncing' : 'message-debounce-reset', fields);
    }
    for (const news of routed.overlaps) this.tellOverlap(news);
    this.tell(routed.reviews);
    const toArm = routed.batches
      .filter((batch) => batch.arm)
      .map((batch) => ({ batchId: batch.id, dueAt: batch.dueAt }));
    // Not awaited: without the job the sweep finds the batch, at most a second late.
    if (toArm.length > 0) void this.windows.armWindows(toArm);
    const interrupted = routed.overlaps.some((news) => news.event === 'turn-interrupted');
    if (interrupted || routed.batches.some((batch) => batch.dueAt <= Date.now())) this.wakeups.wake('turns');
    if (routed.partsMoved) {
      this.wakeups.wake('deliveries');
      this.wakeups.wake('turns');
    }
  }

  private tellOverlap({ event, ...news }: OverlapNews): void {
    this.overlaps.inc({ strategy: news.strategy, reason: news.reason });
    if (event !== null) logEvent(this.log, event, news);
  }

  private tell(reviews: OpenedReview[]): void {
    for (const review of reviews) logEvent(this.log, 'review-opened', { ...review });
  }
}
