/** The naive program as Nest sets it up when nobody asks for anything else. */
import { ExpressAdapter } from '@nestjs/platform-express';
import { startNaive } from './naive-app.mjs';

await startNaive(new ExpressAdapter());
