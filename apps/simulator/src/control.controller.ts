import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

import { Accounts } from './accounts.js';
import { Clock } from './clock.js';
import { accountSchema, clockSchema, rawSchema, settingsSchema, writeSchema } from './control-schema.js';
import { DeliverRaw } from './deliver-raw.js';
import { mergeSettings } from './merge-settings.js';
import { readControl } from './read-body.js';
import { SameOrigin } from './same-origin.guard.js';
import { Settings } from './settings.js';
import { WriteAsPerson } from './write-as-person.js';

/** Writing as people, and the simulator's own knobs. */
@Controller('control')
@UseGuards(SameOrigin)
export class ControlController {
  constructor(
    private readonly accounts: Accounts,
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly writeAsPerson: WriteAsPerson,
    private readonly deliverRaw: DeliverRaw,
  ) {}

  @Post('messages')
  @HttpCode(200)
  write(@Req() request: FastifyRequest) {
    return this.writeAsPerson.run(readControl(writeSchema, request));
  }

  @Post('raw')
  @HttpCode(200)
  raw(@Req() request: FastifyRequest) {
    return this.deliverRaw.run(readControl(rawSchema, request));
  }

  /** Secrets stay inside. */
  @Get('accounts')
  listAccounts() {
    return this.accounts.all().map(({ accessToken: _token, appSecret: _secret, ...open }) => open);
  }

  @Post('accounts')
  @HttpCode(200)
  putAccount(@Req() request: FastifyRequest) {
    const wanted = readControl(accountSchema, request);
    const webhookUrl = wanted.webhookUrl ?? this.accounts.get().webhookUrl;
    const { phoneNumberId } = this.accounts.put({ ...wanted, webhookUrl });
    return { phoneNumberId, webhookUrl };
  }

  @Get('clock')
  readClock() {
    return { now: this.clock.now(), offsetMs: this.clock.offsetMs };
  }

  @Post('clock')
  @HttpCode(200)
  setClock(@Req() request: FastifyRequest) {
    this.clock.offsetMs = readControl(clockSchema, request).offsetMs;
    return this.readClock();
  }

  @Get('settings')
  readSettings() {
    return this.settings.current;
  }

  @Post('settings')
  @HttpCode(200)
  changeSettings(@Req() request: FastifyRequest) {
    this.settings.current = mergeSettings(this.settings.current, readControl(settingsSchema, request));
    return this.settings.current;
  }
}
