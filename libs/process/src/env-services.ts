/** Where things are: storage, queue, ports, logs. */
import { Address, OneOf, Text, Whole } from './env-setting.js';

export const NODE_ENVS = ['production', 'development', 'test'] as const;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const MEBIBYTE = 1024 * 1024;

export class ServicesEnv {
  @OneOf(NODE_ENVS, 'production refuses the clock override of the tests')
  NODE_ENV: (typeof NODE_ENVS)[number] = 'development';

  @OneOf(LOG_LEVELS, 'least severe level that is logged')
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  @Address(['postgres', 'postgresql'], 'Postgres; not set: embedded, in .data/ (npm start and standalone only)')
  DATABASE_URL?: string;

  @Whole(2, 200, 'most connections of one service to Postgres, besides those of the queue')
  DATABASE_POOL_MAX = 10;

  @Address(['redis', 'rediss'], 'Redis for BullMQ; not set: BullMQ on Postgres')
  REDIS_URL?: string;

  @Text('address that the services listen on')
  HOST = '127.0.0.1';

  @Whole(0, 65_535, 'port of ingest; 0: any free one')
  INGEST_PORT = 3001;

  @Whole(0, 65_535, 'port of the batcher; 0: any free one')
  BATCHER_PORT = 3002;

  @Whole(0, 65_535, 'port of the responder; 0: any free one')
  RESPONDER_PORT = 3003;

  @Whole(0, 65_535, 'port of the console; 0: any free one')
  CONSOLE_PORT = 3000;

  @Whole(0, 65_535, 'port of the simulator; 0: any free one')
  SIMULATOR_PORT = 3900;

  @OneOf(['0', '1'], '1: the simulator may listen on an address that others can reach')
  SIMULATOR_ALLOW_REMOTE: '0' | '1' = '0';

  @Address(['http', 'https'], 'where the simulator sends its webhooks; not set: ingest on HOST and INGEST_PORT')
  SIMULATOR_WEBHOOK_URL?: string;

  @Whole(1024, 64 * MEBIBYTE, 'largest webhook body in bytes; larger ones are answered with 413')
  BODY_LIMIT_BYTES = 4 * MEBIBYTE;

  @Whole(1, 100_000, 'webhooks that ingest handles at once; more are answered with 503 and Retry-After')
  MAX_IN_FLIGHT = 1000;

  @Whole(8, 36_500, 'days that events, batches and parts are kept after their end; copies can come for 7')
  RETENTION_DAYS = 90;

  @Whole(1, 36_500, 'days after which the bodies of events are emptied; their rows stay for RETENTION_DAYS')
  PAYLOAD_RETENTION_DAYS = 90;

  @Whole(0, 300_000, 'ms that a graceful stop waits for running work')
  SHUTDOWN_GRACE_MS = 10_000;
}
