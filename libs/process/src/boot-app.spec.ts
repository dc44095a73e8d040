import { Body, Controller, Inject, Module, Post, type OnApplicationShutdown } from '@nestjs/common';
import { bootApp, type AppOptions, type RunningApp } from './boot-app.js';
import { Drain } from './drain.js';
import { readEnv } from './env.js';
import { Env } from './env-schema.js';
import { createLogger, LOG } from './log.js';
import type { Log } from './log.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

@Controller()
class EchoController {
  constructor(metrics: Metrics) {
    metrics.counter('spec_total', 'a counter').inc();
  }

  @Post('raw')
  raw(@Body() body: unknown): { buffer: boolean; text: string } {
    return { buffer: Buffer.isBuffer(body), text: String(body) };
  }

  @Post('json')
  json(@Body() body: unknown): { body: unknown } {
    return { body };
  }
}

@Module({ controllers: [EchoController] })
class EchoModule implements OnApplicationShutdown {
  static closed = 0;

  constructor(
    readonly env: Env,
    readonly readiness: Readiness,
    readonly drain: Drain,
    @Inject(LOG) readonly log: Log,
  ) {}

  onApplicationShutdown(): void {
    EchoModule.closed += 1;
  }
}

const env = readEnv({ SHUTDOWN_GRACE_MS: '50' });
const log = createLogger('spec', 'silent');
let running: RunningApp[] = [];

async function boot(options: Partial<AppOptions> = {}): Promise<RunningApp> {
  const app = await bootApp({ name: 'ingest', module: EchoModule, port: 0, env, log, ...options });
  running.push(app);
  return app;
}

const status = async (url: string) => (await fetch(url)).status;

afterEach(async () => {
  await Promise.all(running.map((app) => app.close()));
  running = [];
});

describe('bootApp', () => {
  it('keeps raw bodies whatever their type, up to the limit', async () => {
    const { url } = await boot({ rawBodyLimit: 100 });
    const post = (body: Uint8Array | string, headers: Record<string, string> = {}) =>
      fetch(`${url}/raw`, { method: 'POST', body, headers });
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
      expect(await (await post('{"broken', { 'content-type': type })).json()).toEqual({
        buffer: true,
        text: '{"broken',
      });
    }
    // Without a content type at all: fetch adds none for bytes.
    expect(await (await post(new TextEncoder().encode('{}'))).json()).toEqual({ buffer: true, text: '{}' });
    expect((await post('x'.repeat(101))).status).toBe(413);
  });

  it('parses JSON where no raw body was asked for', async () => {
    const { url } = await boot();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/json`, { method: 'POST', body: '{"a":1}', headers });
    expect(await answer.json()).toEqual({ body: { a: 1 } });
    expect((await fetch(`${url}/json`, { method: 'POST', body: '{"a', headers })).status).toBe(400);
  });

  it('is ready while its checks pass, and never while it drains', async () => {
    const { url, app, drain } = await boot();
    const readiness = app.get(Readiness);
    expect(await status(`${url}/health/ready`)).toBe(200);
    readiness.add('storage', () => Promise.reject(new Error('storage is away')));
    const answer = await fetch(`${url}/health/ready`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('storage is away');
    readiness.add('storage', () => Promise.resolve());
    expect(await status(`${url}/health/ready`)).toBe(200);

    let duringDrain = 0;
    app.get(Drain).onDrain('spec', async () => {
      duringDrain = await status(`${url}/health/ready`);
    });
    await drain();
    expect(duringDrain).toBe(503);
    expect(await status(`${url}/health/live`)).toBe(200);
  });

  it('bounds a drain hook that hangs and survives one that throws', async () => {
    const { app, drain } = await boot();
    const hooks = app.get(Drain);
    hooks.onDrain('hangs', () => new Promise(() => undefined));
    hooks.onDrain('throws', () => {
      throw new Error('expected');
    });
    await drain();
    expect(hooks.signal.aborted).toBe(true);
  });

  it('serves metrics with the service as a label', async () => {
    const { url } = await boot();
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('oneturn_spec_total{service="ingest"} 1');
  });

  it('says which port is taken and leaves nothing behind', async () => {
    const first = await boot();
    const closedBefore = EchoModule.closed;
    await expect(boot({ port: first.port })).rejects.toThrow(/^ingest: port \d+ of 127.0.0.1 is taken.*INGEST_PORT/);
    expect(EchoModule.closed).toBe(closedBefore + 1);
  });
});
