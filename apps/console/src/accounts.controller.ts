import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  NotFoundException,
  Param,
  Post,
} from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database, listAccounts, resumeAccount, setAccountPolicy } from '#inbox';
import { Env } from '#process';
import { ByBody, PolicyBody } from './bodies.js';
import { TellOthers } from './tell-others.js';

@ApiTags('accounts')
@Controller('api/accounts')
export class AccountsController {
  constructor(
    private readonly db: Database,
    private readonly tell: TellOthers,
    @Inject(Env) private readonly env: Env,
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

  @Post(':id/policy')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Changes what the account overrides of the environment: strategy and options; null takes it back',
  })
  async policy(@Param('id') id: string, @Body() body: PolicyBody) {
    const changed = await setAccountPolicy(this.db, id, { ...body }, this.env.OVERLAP_STRATEGY);
    switch (changed.kind) {
      case 'missing':
        throw new NotFoundException('there is no such account');
      case 'refused':
        throw new BadRequestException(changed.problems);
      case 'changed':
        return { id, policy: changed.policy, warnings: changed.warnings };
    }
  }
}
