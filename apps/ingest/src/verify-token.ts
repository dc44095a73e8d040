import { Injectable } from '@nestjs/common';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Channel } from '#domain';
import { AccountDirectory } from '#inbox';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares the handshake's token with those of the accounts, in constant time. */
@Injectable()
export class VerifyToken {
  constructor(private readonly accounts: AccountDirectory) {}

  /** `fromEnv` counts as well: the handshake must work before the database has been read. */
  matches(channel: Channel, fromEnv: string | undefined, given: unknown): boolean {
    if (typeof given !== 'string' || given === '') return false;
    const tokens = this.accounts.all().flatMap((account) => (account.channel === channel ? [account.verifyToken] : []));
    const candidates = [...tokens, fromEnv].filter(
      (token): token is string => typeof token === 'string' && token !== '',
    );
    // No early exit: the time says nothing about which one matched, or how far.
    return candidates.map((token) => timingSafeEqual(digest(token), digest(given))).includes(true);
  }
}
