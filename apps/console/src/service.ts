import { bootApp, startProcess } from '#process';
import { consoleApp } from './app.js';

await startProcess('console', async (env, log) => [await bootApp({ ...consoleApp(env), env, log })]);
