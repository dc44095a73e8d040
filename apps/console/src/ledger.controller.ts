import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { auditRows, Database, readLedger } from '#inbox';
import { AuditQuery } from './list-query.js';
import { PersonRulesOf } from './person-rules.js';

@ApiTags('ledger')
@Controller('api/ledger')
export class LedgerController {
  constructor(
    private readonly db: Database,
    private readonly rules: PersonRulesOf,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Where every event, batch and part is, and how many are unaccounted for' })
  ledger() {
    return readLedger(this.db, this.rules.audit);
  }

  @Get('unaccounted')
  @ApiOperation({ summary: 'The unaccounted rows one by one, oldest first' })
  async unaccounted(@Query() query: AuditQuery) {
    return { items: await auditRows(this.db.prisma, this.rules.audit, query.limit), next: null };
  }
}
