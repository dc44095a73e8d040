/**
 * What the documentation of NestJS, Prisma and BullMQ adds up to when it is followed page by page: a controller, a
 * Prisma client and a queue injected, one create and one add per message. Decorators are applied by hand, because this
 * is plain JavaScript.
 */
import 'reflect-metadata';
import { Controller, Dependencies, Get, Logger, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PrismaPg } from '@prisma/adapter-pg';
import { Queue } from 'bullmq';
import { endWithParent, messagesOf, readSigned } from './webhook-body.mjs';

const { PORT, APP_SECRET, DATABASE_URL, POOL_MAX, REDIS_HOST, REDIS_PORT, REDIS_DB, NAIVE_CLIENT } = process.env;
const { PrismaClient } = await import(NAIVE_CLIENT);
const logger = new Logger('webhooks');

class WebhookController {
  constructor(prisma, queue) {
    this.prisma = prisma;
    this.queue = queue;
  }

  async ready() {
    await this.prisma.$queryRaw`SELECT 1`;
    return 'ok';
  }

  async receive(request, reply) {
    const webhook = readSigned(request.rawBody, request.headers['x-hub-signature-256'], APP_SECRET);
    if (webhook === null) return void reply.status(403).send('');
    try {
      for (const message of messagesOf(webhook)) await this.accept(message);
    } catch (error) {
      logger.error(error);
      return void reply.status(500).send('');
    }
    reply.status(200).send('');
  }

  async accept(message) {
    const { id, from, type, text } = message;
    await this.prisma.message.create({
      data: { wamid: id, phone: from, type, text: text?.body ?? null, payload: message },
    });
    await this.queue.add('message', { wamid: id }, { jobId: id });
  }
}
const decorate = (name, ...decorators) => {
  const property = Object.getOwnPropertyDescriptor(WebhookController.prototype, name);
  for (const decorator of decorators) decorator(WebhookController.prototype, name, property);
};
Controller()(WebhookController);
Dependencies(PrismaClient, Queue)(WebhookController);
decorate('ready', Get('health/ready'));
decorate('receive', Post('webhooks/whatsapp'));
Req()(WebhookController.prototype, 'receive', 0);
Res()(WebhookController.prototype, 'receive', 1);

class AppModule {}
const adapter = new PrismaPg({ connectionString: DATABASE_URL, max: Number(POOL_MAX) });
const connection = { host: REDIS_HOST, port: Number(REDIS_PORT), db: Number(REDIS_DB) };
const jobs = { removeOnComplete: true, attempts: 4 };
Module({
  controllers: [WebhookController],
  providers: [
    { provide: PrismaClient, useFactory: () => new PrismaClient({ adapter }) },
    // As the module of @nestjs/bullmq makes it.
    { provide: Queue, useFactory: () => new Queue('messages', { connection, defaultJobOptions: jobs }) },
  ],
})(AppModule);

/** Starts it on one of Nest's HTTP adapters. */
export async function startNaive(httpAdapter) {
  endWithParent();
  const app = await NestFactory.create(AppModule, httpAdapter, { rawBody: true });
  await app.listen(Number(PORT), '127.0.0.1');
}
