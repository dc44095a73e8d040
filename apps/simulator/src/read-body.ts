import { BadRequestException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';

/** The body as it came; empty when there was none. */
export function bodyBytes(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** Reads a JSON body of the control API. @throws BadRequestException that says which field is wrong. */
export function readControl<S extends z.ZodType>(schema: S, request: FastifyRequest): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(bodyBytes(request).toString('utf8'));
  } catch {
    throw new BadRequestException('the body is not JSON');
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new BadRequestException(
    result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '),
  );
}
