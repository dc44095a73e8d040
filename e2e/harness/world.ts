/** A whole oneturn for one test: separate processes, a database of its own, a queue backend, the simulator, an assistant. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import {
  startFakeAssistant,
  startOwnRedis,
  startService,
  testDatabase,
  type FakeAssistant,
  type OwnRedis,
  type RunningService,
  type ServiceName,
  type TestDatabase,
} from '#testing';
import { AnswersByPerson } from './answers-by-person.js';
import { createPerson, type Person } from './person.js';
import { SimulatorClient } from './simulator-client.js';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';

export type Backend = 'redis' | 'postgres';
/** Both, or the Postgres one alone when the run says visibly that it skips Redis. */
export const BACKENDS: Backend[] = process.env['SKIP_REDIS'] === '1' ? ['postgres'] : ['redis', 'postgres'];

/** Starting takes a second on a quiet machine; several worlds at once make it slow, ms. */
const READY_MS = Number(process.env['ONETURN_READY_MS'] ?? 60_000);

/** The cases' own default configuration: short window, lease and backoff. */
const TEST_ENV = {
  WINDOW_MS: '2000',
  MAX_WAIT_MS: '6000',
  LEASE_MS: '4000',
  LEASE_RENEW_MS: '1000',
  MAX_ATTEMPTS: '4',
  RETRY_BASE_MS: '200',
  SWEEP_MS: '200',
  SEND_TIMEOUT_MS: '2000',
  UNKNOWN_WAIT_MS: '2000',
  SHUTDOWN_GRACE_MS: '2000',
  WHATSAPP_PHONE_NUMBER_ID: '402600000000201',
  WHATSAPP_ACCESS_TOKEN: 'test-access-token',
  WHATSAPP_APP_SECRET: 'test-app-secret',
  WHATSAPP_VERIFY_TOKEN: 'test-verify-token',
  CONSOLE_API_TOKEN: 'test-console-token',
  ASSISTANT_SECRET: 'test-assistant-secret',
};

export interface WorldOptions {
  backend: Backend;
  /** Over the cases' own configuration. */
  env?: Record<string, string>;
  /** How many of each service (default one of each). */
  services?: Partial<Record<'ingest' | 'batcher' | 'responder' | 'console', number>>;
  /** Shown to the services as REDIS_URL in place of a Redis of this world. */
  redisUrl?: string;
  /** The services reach the database over a wire that the test can cut. */
  databaseWire?: boolean;
  /** Runs before the services start; `env` is what they get. */
  prepare?: (database: TestDatabase, env: Record<string, string>) => Promise<void>;
}

export interface World {
  env: Record<string, string>;
  /** Reached directly, also where the services are cut off from it. */
  database: TestDatabase;
  /** With `databaseWire` only. */
  wire: TcpProxy | null;
  /** Null on the Postgres backend. */
  redis: OwnRedis | null;
  simulator: SimulatorClient;
  assistant: FakeAssistant;
  running: RunningService[];
  only(name: ServiceName): RunningService;
  /** Starts one more process of a service, on ports of its own. */
  start(name: ServiceName, env?: Record<string, string>): Promise<RunningService>;
  person(phone?: string): Person;
  query<T>(sql: string, values?: unknown[]): Promise<T[]>;
  console<T>(path: string, init?: { method?: string; body?: unknown }): Promise<T>;
  close(): Promise<void>;
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const database = await testDatabase();
  const assistant = await startFakeAssistant();
  const answers = new AnswersByPerson(assistant);
  // Many people poll at once: a connection for each question would load the machine more than the services do.
  const pool = new Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined);
  const wire = options.databaseWire === true ? await startTcpProxy(database.url) : null;
  const redis = options.backend === 'redis' && options.redisUrl === undefined ? await startOwnRedis() : null;
  const redisUrl = options.redisUrl ?? redis?.url;
  const env: Record<string, string> = {
    ...TEST_ENV,
    DATABASE_URL: wire?.through(database.url) ?? database.url,
    AI_MODEL: 'http',
    ASSISTANT_URL: assistant.url,
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    ...options.env,
  };
  const running: RunningService[] = [];
  const start = async (name: ServiceName, more: Record<string, string> = {}): Promise<RunningService> => {
    const service = await startService(name, { ...env, ...more }, { timeoutMs: READY_MS });
    running.push(service);
    return service;
  };
  const simulator = new SimulatorClient(
    await start('simulator', { SIMULATOR_WEBHOOK_URL: 'http://127.0.0.1:9/not-yet' }),
  );
  env['WHATSAPP_API_URL'] = simulator.url;
  await options.prepare?.(database, env);
  const counts = { ingest: 1, batcher: 1, responder: 1, console: 1, ...options.services };
  const names = Object.entries(counts).flatMap(([name, count]) => Array<ServiceName>(count).fill(name as ServiceName));
  await Promise.all(names.map((name) => start(name)));
  const only = (name: ServiceName): RunningService => {
    const found = running.find((service) => service.name === name);
    if (!found) throw new Error(`no ${name} is running in this world`);
    return found;
  };
  if (counts.ingest > 0) await simulator.deliverTo(`${only('ingest').url}/webhooks/whatsapp`, env);
  let people = 0;
  return {
    env,
    database,
    wire,
    redis,
    simulator,
    assistant,
    running,
    only,
    start,
    person: (phone = `1555010${String(1000 + people++)}`) => createPerson(simulator, phone, answers),
    query: async <T>(sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows as T[],
    console: <T>(path: string, init: { method?: string; body?: unknown } = {}) =>
      callConsole<T>(only('console').url, env['CONSOLE_API_TOKEN'] as string, path, init),
    close: async () => {
      await Promise.all(running.map((service) => service.kill('SIGKILL')));
      keepLogs(running);
      await assistant.close();
      await wire?.close();
      await pool.end();
      await redis?.kill();
      await database.drop();
    },
  };
}

/** With ONETURN_TEST_LOGS=folder, what every process wrote can be read afterwards. */
function keepLogs(services: RunningService[]): void {
  const folder = process.env['ONETURN_TEST_LOGS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const { name, pid, output } of services) writeFileSync(join(folder, `${name}-${pid}.log`), output());
}

async function callConsole<T>(
  url: string,
  token: string,
  path: string,
  init: { method?: string; body?: unknown },
): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method: init.method ?? 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
