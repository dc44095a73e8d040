import { startService } from '#process';

import { BODY_LIMIT_BYTES, hangUpAtClose } from './simulator.js';
import { optionsFromEnv } from './simulator-env.js';
import { SimulatorModule } from './simulator.module.js';

await startService({
  name: 'simulator',
  module: (env) => SimulatorModule.with(optionsFromEnv(env)),
  port: (env) => env.SIMULATOR_PORT,
  rawBodyLimit: BODY_LIMIT_BYTES,
  configure: hangUpAtClose,
});
