import { ValidationPipe } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';

/** Bodies and queries are checked against their DTOs; an error names the field. */
export function refuseUnknownFields(app: NestFastifyApplication): void {
  // Nest would import these two at run time, where a bundled package in CommonJS has no names of its own.
  const packages = { validatorPackage, transformerPackage };
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true, ...packages }));
  const fastify = app.getHttpAdapter().getInstance();
  // Some clients announce JSON also where they send nothing; Fastify would answer that with 400.
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if (coding === undefined && (length === undefined || length === '0')) delete request.headers['content-type'];
    done();
  });
}
