import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { readCursor, type Cursor, type ReviewState } from '#inbox';

/** What every list understands. */
export class ListQuery {
  @ApiPropertyOptional({ description: 'most items of the answer', default: 50, maximum: 200 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(200)
  limit = 50;

  @ApiPropertyOptional({ description: '`next` of the page before' })
  @IsOptional()
  @Matches(/^\d{1,15}_\d{1,18}$/, { message: 'after must be the next of an earlier answer' })
  after?: string;
}

/** Where the page begins; null: at the beginning. */
export function startOf(query: ListQuery): Cursor | null {
  return query.after === undefined ? null : readCursor(query.after);
}

export class ConversationsQuery extends ListQuery {
  @ApiPropertyOptional({ description: 'part of a name or an address' })
  @IsString()
  @MaxLength(200)
  q = '';
}

export class TimelineQuery {
  @ApiPropertyOptional({ description: 'most events, batches and parts of the answer', default: 200, maximum: 1000 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit = 200;

  @ApiPropertyOptional({ description: '`next` of the answer before' })
  @IsOptional()
  @Matches(/^\d{1,18}$/, { message: 'before must be the next of an earlier answer' })
  before?: string;
}

export class ReviewsQuery extends ListQuery {
  @ApiPropertyOptional({ enum: ['open', 'resolved', 'all'], default: 'open' })
  @IsIn(['open', 'resolved', 'all'])
  state: ReviewState = 'open';

  @ApiPropertyOptional({ description: 'only those of one conversation' })
  @IsOptional()
  @Matches(/^\d{1,18}$/, { message: 'conversationId must be an id' })
  conversationId?: string;
}

export class AuditQuery {
  @ApiPropertyOptional({ description: 'most rows of the answer', default: 100, maximum: 1000 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit = 100;
}
