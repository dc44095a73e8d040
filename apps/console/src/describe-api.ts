import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** OpenAPI as a page at /api/docs and as JSON at /api/docs-json. */
export function describeApi(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setTitle('oneturn console')
    .setDescription('Conversations, cases for people, takeovers, the ledger. Times are ISO 8601 in UTC, ids are texts.')
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'CONSOLE_API_TOKEN' })
    .addSecurityRequirements('bearer')
    .build();
  SwaggerModule.setup('api/docs', app, () => SwaggerModule.createDocument(app, config), {
    jsonDocumentUrl: 'api/docs-json',
  });
}
