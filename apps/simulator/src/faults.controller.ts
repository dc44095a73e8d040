import { Controller, Delete, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

import { faultSchema } from './fault-schema.js';
import { Faults } from './faults.js';
import { readControl } from './read-body.js';
import { SameOrigin } from './same-origin.guard.js';

const oneOrMany = z.union([faultSchema.array().min(1), faultSchema.transform((fault) => [fault])]);

/** The script of faults: one or a list is added, all are removed. */
@Controller('control/faults')
@UseGuards(SameOrigin)
export class FaultsController {
  constructor(private readonly faults: Faults) {}

  @Post()
  @HttpCode(200)
  add(@Req() request: FastifyRequest) {
    return readControl(oneOrMany, request).map((script) => this.faults.add(script));
  }

  @Get()
  list() {
    return this.faults.list();
  }

  @Delete()
  @HttpCode(204)
  clear(): void {
    this.faults.clear();
  }
}
