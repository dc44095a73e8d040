import { Controller, Delete, Get, HttpCode, NotFoundException, Param, Query, UseGuards } from '@nestjs/common';

import { Accounts } from './accounts.js';
import { CallLog } from './call-log.js';
import { Chats } from './chats.js';
import { Clock } from './clock.js';
import { People } from './people.js';
import { SameOrigin } from './same-origin.guard.js';
import { Webhooks } from './webhooks.js';

/** What was called, what was delivered, and what people see. */
@Controller('control')
@UseGuards(SameOrigin)
export class LogController {
  constructor(
    private readonly accounts: Accounts,
    private readonly calls: CallLog,
    private readonly chats: Chats,
    private readonly clock: Clock,
    private readonly people: People,
    private readonly webhooks: Webhooks,
  ) {}

  /** API calls in order of arrival; `to` is a phone, user id or group id, `after` the n of the last one known. */
  @Get('log')
  log(
    @Query('to') to?: string,
    @Query('kind') kind?: string,
    @Query('account') account?: string,
    @Query('after') after?: string,
  ) {
    return this.calls.list({
      to: to === undefined ? undefined : this.keyOf(to),
      kind,
      account,
      after: after === undefined ? undefined : Number(after),
    });
  }

  @Delete('log')
  @HttpCode(204)
  clear(): void {
    this.calls.clear();
    this.webhooks.clear();
  }

  @Get('webhooks')
  deliveries(@Query('after') after?: string) {
    return {
      deliveries: this.webhooks.list(after === undefined ? 0 : Number(after)),
      pendingRetries: this.webhooks.pendingRetries,
      dropped: this.webhooks.dropped,
    };
  }

  @Get('chats')
  list(@Query('account') account?: string) {
    return this.chats.all(this.accounts.get(account).phoneNumberId).map((chat) => ({
      chat: chat.key,
      person: this.people.find(chat.key) ?? null,
      entries: chat.entries.length,
    }));
  }

  /** What the person (or the group) sees, in order; a failed copy never reached them. */
  @Get('chats/:person')
  chat(@Param('person') alias: string, @Query('account') account?: string) {
    const { phoneNumberId } = this.accounts.get(account);
    const chat = this.chats.find(phoneNumberId, this.keyOf(alias));
    if (!chat) throw new NotFoundException(`no chat with ${alias}`);
    return {
      account: phoneNumberId,
      chat: chat.key,
      person: this.people.find(chat.key) ?? null,
      typingMs: Math.max(0, chat.typingUntil - this.clock.now()),
      entries: chat.entries,
    };
  }

  private keyOf(alias: string): string {
    // A plus in a query string arrives as a space.
    const plain = alias.trim().replace(/^\+/, '');
    return this.people.find(plain)?.key ?? plain;
  }
}
