import { Module } from '@nestjs/common';
import { bootApp, createLogger, readEnv, type RunningApp } from '#process';
import { eventually, freePort, testRedis } from '#testing';
import { Consumers } from './consumers.js';
import { QueueModule } from './queue.module.js';
import { Wakeups } from './wakeups.js';
import { WindowJobs } from './window-jobs.js';

const log = createLogger('spec', 'silent');
let rings = 0;

@Module({ imports: [QueueModule.forService({ consumes: ['turns'], wakes: ['turns'], arms: true })] })
class RingingModule {
  constructor(
    readonly wakeups: Wakeups,
    readonly windows: WindowJobs,
    consumers: Consumers,
  ) {
    consumers.consume('turns', () => void (rings += 1));
  }
}

@Module({ imports: [QueueModule.forService({ consumes: ['turns', 'windows'] })] })
class ForgetfulModule {
  constructor(consumers: Consumers) {
    consumers.consume('turns', () => undefined);
  }
}

const boot = (module: typeof RingingModule | typeof ForgetfulModule, redisUrl: string): Promise<RunningApp> =>
  bootApp({ name: 'spec', module, port: 0, env: readEnv({ REDIS_URL: redisUrl, HOST: '127.0.0.1' }), log });

it('carries a wake-up through a whole app, and counts it', async () => {
  const url = await testRedis();
  if (url === null) return;
  const running = await boot(RingingModule, url);
  const { wakeups } = running.app.get(RingingModule);
  await eventually(() => {
    wakeups.wake('turns');
    return rings > 0;
  });
  const metrics = await (await fetch(`${running.url}/metrics`)).text();
  expect(metrics).toMatch(/oneturn_wakeups_total\{queue="turns",outcome="sent",service="spec"\} \d/);
  await running.drain();
  await running.close();
});

it('boots, is ready and stops without Redis', async () => {
  const running = await boot(RingingModule, `redis://127.0.0.1:${await freePort()}`);
  expect((await fetch(`${running.url}/health/ready`)).status).toBe(200);
  await running.drain();
  await running.close();
});

it('refuses to boot with a queue that nobody handles', async () => {
  await expect(boot(ForgetfulModule, `redis://127.0.0.1:${await freePort()}`)).rejects.toThrow(
    /no handler for the queue windows/,
  );
});
