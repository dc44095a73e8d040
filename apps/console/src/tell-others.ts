import { Inject, Injectable } from '@nestjs/common';
import type { OpenedReview } from '#inbox';
import { LOG, logEvent } from '#process';
import type { Log } from '#process';
import { Wakeups } from '#queue';

/** After the commit: what a person did gives the responders work, and may have opened cases. */
@Injectable()
export class TellOthers {
  constructor(
    private readonly wakeups: Wakeups,
    @Inject(LOG) private readonly log: Log,
  ) {}

  turnsAndDeliveries(): void {
    this.wakeups.wake('turns');
    this.wakeups.wake('deliveries');
  }

  ofReviews(reviews: OpenedReview[]): void {
    for (const review of reviews) logEvent(this.log, 'review-opened', { ...review });
  }

  /** Who had it may still be at work, and its tools too: whoever reads the log must be able to tell who freed it. */
  ofReleasedLease(released: { conversationId: string; batchIds: string[]; toolsUnderWay: number }, by: string): void {
    this.log.warn({ ...released, by }, 'a lease was released by an operator');
    this.wakeups.wake('turns');
  }
}
