import { Inject, Injectable } from '@nestjs/common';

import { SIMULATOR_OPTIONS, type SimulatorOptions, type SimulatorSettings } from './options.js';

/** The settings in force; they may change between two calls. */
@Injectable()
export class Settings {
  current: SimulatorSettings;

  constructor(@Inject(SIMULATOR_OPTIONS) options: SimulatorOptions) {
    this.current = options.settings;
  }
}
