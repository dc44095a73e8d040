import { Injectable } from '@nestjs/common';

/** The fake's own clock: real time plus an offset, so that a closed service window needs no waiting. */
@Injectable()
export class Clock {
  offsetMs = 0;

  /** Epoch milliseconds on the fake's clock. */
  now(): number {
    return Date.now() + this.offsetMs;
  }

  /** Epoch seconds as the decimal string that webhooks carry. */
  seconds(): string {
    return String(Math.floor(this.now() / 1000));
  }
}
