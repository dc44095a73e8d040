/** The naive program on the adapter for those who have read that Fastify is faster. */
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { startNaive } from './naive-app.mjs';

await startNaive(new FastifyAdapter());
