import { bootApp, startProcess } from '#process';
import { ingestApp } from './app.js';

await startProcess('ingest', async (env, log) => [await bootApp({ ...ingestApp(env), env, log })]);
