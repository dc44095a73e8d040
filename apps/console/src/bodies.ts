import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsIn, IsNotEmpty, IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import { REVIEW_ACTIONS, type ReviewAction } from '#inbox';

/** Far above what a person writes, far below what would fill the outbox. */
const TEXT_MAX = 20_000;
/** Postgres stores every character but this one. */
const NO_NUL = /^[^\0]*$/;

/** Every action may say who acts. */
export class ByBody {
  @ApiPropertyOptional({ description: 'who acts, as it is shown to others', default: 'api' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  @Matches(NO_NUL, { message: 'by must not contain NUL' })
  by = 'api';
}

export class MessageBody extends ByBody {
  @ApiProperty({ description: 'what to send; a blank line begins a new message', maxLength: TEXT_MAX })
  @IsString()
  @Matches(/\S/, { message: 'text must not be empty' })
  @MaxLength(TEXT_MAX)
  @Matches(NO_NUL, { message: 'text must not contain NUL' })
  text!: string;
}

export class ResolveBody extends ByBody {
  @ApiProperty({ enum: REVIEW_ACTIONS })
  @IsIn(REVIEW_ACTIONS)
  action!: ReviewAction;

  @ApiPropertyOptional({ description: 'for reply: what to send', maxLength: TEXT_MAX })
  @ValidateIf((body: ResolveBody) => body.action === 'reply' || body.text !== undefined)
  @IsString()
  @Matches(/\S/, { message: 'text must not be empty' })
  @MaxLength(TEXT_MAX)
  @Matches(NO_NUL, { message: 'text must not contain NUL' })
  text?: string;
}

/** Fields only: what may stand in them is the domain's to say, so that every way of changing an account agrees. */
export class PolicyBody {
  @ApiPropertyOptional()
  @Allow()
  strategy?: unknown;

  @ApiPropertyOptional()
  @Allow()
  windowMs?: unknown;

  @ApiPropertyOptional()
  @Allow()
  maxWaitMs?: unknown;

  @ApiPropertyOptional()
  @Allow()
  debounceMs?: unknown;

  @ApiPropertyOptional()
  @Allow()
  maxQueueSize?: unknown;

  @ApiPropertyOptional()
  @Allow()
  onQueueFull?: unknown;

  @ApiPropertyOptional()
  @Allow()
  queueEntryTtlMs?: unknown;

  @ApiPropertyOptional()
  @Allow()
  maxConcurrent?: unknown;

  @ApiPropertyOptional()
  @Allow()
  maxRestarts?: unknown;

  @ApiPropertyOptional()
  @Allow()
  lockScope?: unknown;
}
