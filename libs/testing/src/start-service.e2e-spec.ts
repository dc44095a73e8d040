import { startService } from './start-service.js';

test('a service is ready when it is returned, and ends with code 0 when asked to', async () => {
  const simulator = await startService('simulator');
  expect((await fetch(`${simulator.url}/health/live`)).status).toBe(200);
  expect(simulator.urls.simulator).toBe(simulator.url);
  expect(await simulator.kill()).toEqual({ code: 0, signal: null });
  expect(simulator.output()).toContain('stopped');
});

test('a service that refuses to start fails the test with its own words', async () => {
  await expect(startService('ingest')).rejects.toThrow(/ingest ended.*"code":1.*DATABASE_URL is not set/s);
});
