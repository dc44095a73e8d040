/** The library's close waits for answers that a backend in trouble never gives. */
import { settlesWithin } from '#process';
import type { AnyQueue, AnyWorker } from './backend.js';

const CLOSE_MS = 2000;

/** Never throws; at most about two seconds. */
export async function closeQueue(queue: AnyQueue | undefined): Promise<void> {
  if (!queue) return;
  await closeOrDisconnect(queue.close(), () => queue.disconnect());
}

/**
 * Waits for running jobs first, unless the backend is away: then their end could not be recorded anyway.
 * Never throws; at most about four seconds.
 */
export async function closeWorker(worker: AnyWorker, connected: boolean): Promise<void> {
  await closeOrDisconnect(worker.close(!connected), () => worker.disconnect());
}

async function closeOrDisconnect(closing: Promise<void>, disconnect: () => Promise<void>): Promise<void> {
  if (await settlesWithin(closing, CLOSE_MS)) return;
  await settlesWithin(Promise.resolve().then(disconnect), CLOSE_MS);
}
