import { bootApp, startProcess } from '#process';
import { batcherApp } from './app.js';

await startProcess('batcher', async (env, log) => [await bootApp({ ...batcherApp(env), env, log })]);
