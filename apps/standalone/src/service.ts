/** All services in one process, each on its own port: for the first minute, and for small installs. */
import { batcherApp } from '#batcher';
import { consoleApp } from '#console';
import { ingestApp } from '#ingest';
import { bootApp, startProcess, type RunningApp } from '#process';
import { responderApp } from '#responder';
import { databaseOf } from './database-of.js';

let stopDatabase: () => Promise<void> = () => Promise.resolve();

await startProcess(
  'standalone',
  async (given, log) => {
    const database = await databaseOf(given, log);
    stopDatabase = database.stop;
    const env = { ...given, DATABASE_URL: database.url };
    const apps: RunningApp[] = [];
    try {
      for (const app of [ingestApp, batcherApp, responderApp, consoleApp]) {
        const options = app(env);
        apps.push(await bootApp({ ...options, env, log: log.child({ app: options.name }) }));
      }
    } catch (error) {
      await Promise.all(apps.map((app) => app.close()));
      throw error;
    }
    return apps;
  },
  () => stopDatabase(),
);
