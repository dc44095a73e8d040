import type { AppOptions, Env } from '#process';
import { ConsoleModule } from './app.module.js';
import { describeApi } from './describe-api.js';
import { checkExposure, protectApi } from './protect-api.js';
import { QueueBoard } from './queue-board.js';
import { refuseUnknownFields } from './refuse-unknown-fields.js';

/**
 * The person's side: conversations, cases, takeovers, the ledger, the queue board.
 * @throws StartRefusal when others could reach it and no token protects it.
 */
export function consoleApp(env: Readonly<Env>): Omit<AppOptions, 'env' | 'log'> {
  checkExposure(env);
  return {
    name: 'console',
    module: ConsoleModule.forService(env),
    port: env.CONSOLE_PORT,
    configure: (app) => {
      protectApi(app);
      refuseUnknownFields(app);
      describeApi(app);
      app.get(QueueBoard).mount(app);
    },
  };
}
