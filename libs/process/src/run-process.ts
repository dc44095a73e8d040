/** The life of the process around its apps: signals, the supervisor, and errors that nobody caught. */
import type { RunningApp } from './boot-app.js';
import type { Log } from './log.js';
import { withTimeout } from './time.js';

/** A stop that is ordered while the apps boot waits for them this long. */
const BOOT_MS = 10_000;

/**
 * Stops the apps gracefully at the first SIGTERM, SIGINT or loss of the supervisor, then exits 0;
 * a second signal exits at once with 130. An uncaught error is logged and exits 1: after it nothing is known.
 * @param booting the apps; a signal that comes before they are up stops them as soon as they are.
 * @param beforeExit what belongs to the process and not to an app, such as an embedded database.
 */
export function runProcess(booting: Promise<readonly RunningApp[]>, log: Log, beforeExit?: () => Promise<void>): void {
  let stopping = false;

  const stop = (why: string) => {
    if (stopping) {
      // The supervisor goes away in the middle of a stop that it ordered: that is no second request.
      if (why === 'disconnect') return;
      log.warn({ why }, 'stopping at once');
      process.exit(130);
    }
    stopping = true;
    log.info({ why }, 'stopping');
    void stopAll(booting, log, beforeExit).then(() => {
      log.info('stopped');
      process.exit(0);
    });
  };

  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  // Started by a supervisor, this process must not outlive it: the next start would find its ports taken.
  process.once('disconnect', () => stop('disconnect'));
  exitOnUncaught(log);
  // It may be gone already; without a supervisor this is undefined, not false.
  if (process.connected === false) stop('disconnect');
}

/** Logs what nobody caught and exits 1. */
function exitOnUncaught(log: Log): void {
  const exit = (error: unknown, kind: string) => {
    log.fatal({ err: error, kind }, 'uncaught error');
    process.exit(1);
  };
  process.removeAllListeners('uncaughtException').removeAllListeners('unhandledRejection');
  process.on('uncaughtException', (error) => exit(error, 'uncaughtException'));
  process.on('unhandledRejection', (error) => exit(error, 'unhandledRejection'));
  // A reader of our output that went away is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

async function stopAll(
  booting: Promise<readonly RunningApp[]>,
  log: Log,
  beforeExit?: () => Promise<void>,
): Promise<void> {
  const apps = await withTimeout(booting, BOOT_MS).catch((): readonly RunningApp[] => []);
  // All apps stop taking work before any of them closes: they hand work to each other.
  await Promise.all(apps.map((app) => app.drain()));
  await Promise.all(apps.map((app) => app.close()));
  await beforeExit?.().catch((error: unknown) => log.error({ err: error }, 'the last step of the stop failed'));
}
