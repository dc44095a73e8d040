import { Inject, Injectable, NotFoundException } from '@nestjs/common';

import { type AccountOptions, SIMULATOR_OPTIONS, type SimulatorOptions } from './options.js';

export type Account = Required<{ [K in keyof AccountOptions]: NonNullable<AccountOptions[K]> }>;

/** The business numbers the simulator plays, by phone number id. */
@Injectable()
export class Accounts {
  private readonly byId = new Map<string, Account>();
  private readonly tokens = new Map<string, number>();

  constructor(@Inject(SIMULATOR_OPTIONS) options: SimulatorOptions) {
    for (const account of options.accounts) this.put(account);
  }

  /** Adds a number or replaces it. */
  put(options: AccountOptions): Account {
    const known = this.byId.get(options.phoneNumberId);
    if (known) this.countToken(known.accessToken, -1);
    const account: Account = {
      ...options,
      displayPhoneNumber: options.displayPhoneNumber ?? known?.displayPhoneNumber ?? '15550100200',
      wabaId: options.wabaId ?? known?.wabaId ?? '318400000000101',
    };
    this.byId.set(account.phoneNumberId, account);
    this.countToken(account.accessToken, 1);
    return account;
  }

  find(phoneNumberId: string): Account | undefined {
    return this.byId.get(phoneNumberId);
  }

  /** The named account, or the first one. @throws NotFoundException */
  get(phoneNumberId?: string): Account {
    const account = phoneNumberId === undefined ? this.all()[0] : this.byId.get(phoneNumberId);
    if (!account) throw new NotFoundException(`no account ${phoneNumberId ?? ''}`);
    return account;
  }

  /** Whether the token opens any number: a valid token on a foreign number is refused in another way. */
  knowsToken(token: string): boolean {
    return this.tokens.has(token);
  }

  all(): Account[] {
    return [...this.byId.values()];
  }

  private countToken(token: string, change: number): void {
    const count = (this.tokens.get(token) ?? 0) + change;
    if (count > 0) this.tokens.set(token, count);
    else this.tokens.delete(token);
  }
}
