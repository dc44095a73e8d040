import { Body, Controller, Get, HttpCode, NotFoundException, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database, listAccounts, resumeAccount } from '#inbox';
import { ByBody } from './bodies.js';
import { TellOthers } from './tell-others.js';

@ApiTags('accounts')
@Controller('api/accounts')
export class AccountsController {
  constructor(
    private readonly db: Database,
    private readonly tell: TellOthers,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The accounts, without their secrets' })
  async list() {
    return { items: await listAccounts(this.db), next: null };
  }

  @Post(':id/resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Sends again on an account that the channel had shut out' })
  async resume(@Param('id') id: string, @Body() body: ByBody) {
    if (!(await resumeAccount(this.db, id, body.by))) throw new NotFoundException('there is no such account');
    this.tell.turnsAndDeliveries();
    return { id, pausedAt: null };
  }
}
