import { bootApp, startProcess } from '#process';
import { responderApp } from './app.js';

await startProcess('responder', async (env, log) => [await bootApp({ ...responderApp(env), env, log })]);
