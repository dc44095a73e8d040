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
import { Database, listConversations, operatorMessage, readTimeline, release, releaseLease, takeOver } from '#inbox';
import { ByBody, MessageBody } from './bodies.js';
import { ConversationsQuery, startOf, TimelineQuery } from './list-query.js';
import { PersonRulesOf } from './person-rules.js';
import { TellOthers } from './tell-others.js';

const missing = (): never => {
  throw new NotFoundException('there is no such conversation');
};

@ApiTags('conversations')
@Controller('api/conversations')
export class ConversationsController {
  constructor(
    private readonly db: Database,
    private readonly rules: PersonRulesOf,
    private readonly tell: TellOthers,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Conversations, the latest first' })
  list(@Query() query: ConversationsQuery) {
    return listConversations(this.db, query.q.trim(), query.limit, startOf(query));
  }

  @Get(':id')
  @ApiOperation({ summary: 'Everything about one conversation: messages, batches, turns, parts, cases' })
  async timeline(@Param('id') id: string, @Query() query: TimelineQuery) {
    return (await readTimeline(this.db, id, query.limit, query.before ?? null)) ?? missing();
  }

  @Post(':id/takeover')
  @HttpCode(200)
  @ApiOperation({ summary: 'A person takes the conversation; the assistant is silent until release or time-out' })
  async takeover(@Param('id') id: string, @Body() body: ByBody) {
    const taken = await takeOver(this.db, id, body.by, this.rules.person.takeoverMs);
    if (taken.kind === 'missing') return missing();
    this.tell.ofReviews(taken.reviews);
    this.tell.turnsAndDeliveries();
    const { conversationId, reviews } = taken;
    return { conversationId, takenOverBy: body.by, until: new Date(taken.until), reviews };
  }

  @Post(':id/release')
  @HttpCode(200)
  @ApiOperation({ summary: 'The assistant gets it back, with what nobody has answered' })
  async release(@Param('id') id: string, @Body() _body: ByBody) {
    const released = await release(this.db, id, this.rules.person.policy);
    switch (released.kind) {
      case 'missing':
        return missing();
      case 'not-taken-over':
        throw new ConflictException('nobody has taken this conversation over');
      case 'released':
        this.tell.turnsAndDeliveries();
        return { conversationId: released.conversationId, batchIds: released.batchIds };
    }
  }

  @Post(':id/release-lease')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Frees a conversation that a turn holds: its holder loses the batch, and the next attempt begins',
  })
  async releaseLease(@Param('id') id: string, @Body() { by }: ByBody) {
    const released = await releaseLease(this.db, id, by);
    switch (released.kind) {
      case 'missing':
        return missing();
      case 'not-held':
        throw new ConflictException('no turn holds this conversation');
      case 'released': {
        const { kind: _kind, ...rest } = released;
        this.tell.ofReleasedLease(rest, by);
        return rest;
      }
    }
  }

  @Post(':id/messages')
  @HttpCode(200)
  @ApiOperation({ summary: 'A person writes to the customer, which takes the conversation over' })
  async write(@Param('id') id: string, @Body() { text, by }: MessageBody) {
    const { takeoverMs, limitsOf } = this.rules.person;
    const written = await operatorMessage(this.db, { conversationId: id, text, by, takeoverMs }, limitsOf);
    switch (written.kind) {
      case 'missing':
        return missing();
      case 'window-closed':
        throw new ConflictException(
          'the service window is closed: nothing can be sent until the customer writes again',
        );
      case 'no-channel':
        throw new ConflictException('nothing can be sent on this channel yet');
      case 'empty':
        throw new ConflictException('the text is empty');
      case 'queued':
        this.tell.ofReviews(written.reviews);
        this.tell.turnsAndDeliveries();
        return { conversationId: written.conversationId, partIds: written.partIds, reviews: written.reviews };
    }
  }
}
