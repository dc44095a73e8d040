/** kill -9, and the start that follows it. */
import type { RunningService } from '#testing';
import type { World } from './world.js';

/** Kills a process as a crash would. Resolves to what starts it again, at the same address. */
export async function crash(world: World, service: RunningService): Promise<() => Promise<RunningService>> {
  await service.kill('SIGKILL');
  const port = new URL(service.url).port;
  return () => world.start(service.name, { [`${service.name.toUpperCase()}_PORT`]: port });
}

/** Kills a process and starts it again. */
export async function crashAndRestart(world: World, service: RunningService): Promise<RunningService> {
  return (await crash(world, service))();
}
