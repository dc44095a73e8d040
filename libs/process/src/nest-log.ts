/** Nest's own messages through our logger, so that a service speaks in one format. */
import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

export class NestLog implements LoggerService {
  constructor(private readonly to: Log) {}

  // Nest announces every module and route at this level; worth having, not worth reading each time.
  log(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes (message, ...more, stack?, context). */
  private write(level: Level, message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const error = [message, ...rest].find((part) => part instanceof Error);
    const stack = level === 'error' && rest.length > 1 ? rest[0] : undefined;
    this.to[level](
      { context, ...(error ? { err: error } : {}), ...(stack === undefined ? {} : { stack }) },
      text(message),
    );
  }
}

function text(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : (JSON.stringify(message) ?? String(message));
}
