import {
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Query,
} from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Database, listReviews, resolveReview } from '#inbox';
import { ResolveBody } from './bodies.js';
import { ReviewsQuery, startOf } from './list-query.js';
import { PersonRulesOf } from './person-rules.js';
import { TellOthers } from './tell-others.js';

@ApiTags('reviews')
@Controller('api/reviews')
export class ReviewsController {
  constructor(
    private readonly db: Database,
    private readonly rules: PersonRulesOf,
    private readonly tell: TellOthers,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Cases for people; the open ones oldest first, others newest first' })
  list(@Query() query: ReviewsQuery) {
    const { state, conversationId } = query;
    const filter = { state, ...(conversationId === undefined ? {} : { conversationId }) };
    return listReviews(this.db, filter, query.limit, startOf(query));
  }

  @Post(':id/resolve')
  @HttpCode(200)
  @ApiOperation({ summary: 'Settles a case: with a reply, with another try, or without either' })
  async resolve(@Param('id') id: string, @Body() body: ResolveBody) {
    const decision = { action: body.action, text: body.text ?? '', by: body.by };
    const resolved = await resolveReview(this.db, id, decision, this.rules.person);
    switch (resolved.kind) {
      case 'missing':
        throw new NotFoundException('there is no such case');
      case 'already-resolved':
        throw new ConflictException(`${resolved.by ?? 'somebody'} has resolved this case already`);
      case 'refused':
        throw new ConflictException(resolved.why);
      case 'resolved': {
        this.tell.turnsAndDeliveries();
        const { conversationId, batchIds, partIds, warning } = resolved;
        return { id, state: 'resolved', action: body.action, conversationId, batchIds, partIds, warning };
      }
    }
  }
}
