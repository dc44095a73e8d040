import { Injectable } from '@nestjs/common';

import { BoundedMap } from './bounded-map.js';
import { Settings } from './settings.js';

/** Messages from one number to one person: a bucket of `burst`, refilled by one every `refillMs`. */
@Injectable()
export class PairLimit {
  private readonly buckets = new BoundedMap<{ left: number; at: number }>(100_000);

  constructor(private readonly settings: Settings) {}

  /** Takes one message out of the pair's bucket at `now` (epoch ms); false when it is empty. */
  take(account: string, person: string, now: number): boolean {
    const { burst, refillMs } = this.settings.current.pairLimit;
    const key = `${account}|${person}`;
    const bucket = this.buckets.get(key) ?? { left: burst, at: now };
    bucket.left = Math.min(burst, bucket.left + Math.max(0, now - bucket.at) / refillMs);
    bucket.at = now;
    this.buckets.set(key, bucket);
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }
}
