import { createLogger } from '#process';
import type { QueueBackend } from './backend.js';
import { Consumers } from './consumers.js';

const log = createLogger('spec', 'silent');
/** A backend that never becomes reachable. */
const away: QueueBackend = {
  kind: 'postgres',
  prepare: () => new Promise(() => undefined),
  connected: () => false,
  answered: () => undefined,
  createQueue: () => {
    throw new Error('not reachable');
  },
  createWorker: () => {
    throw new Error('not reachable');
  },
  close: () => Promise.resolve(),
};

describe('Consumers', () => {
  it('refuses to start with a queue that nobody handles', () => {
    const consumers = new Consumers(away, ['events', 'windows'], log);
    consumers.consume('events', () => undefined);
    expect(() => consumers.start()).toThrow(/no handler for the queue windows/);
  });

  it('refuses a second handler, and one for a queue that was not named', () => {
    const consumers = new Consumers(away, ['events'], log);
    consumers.consume('events', () => undefined);
    expect(() => consumers.consume('events', () => undefined)).toThrow(/has a handler already/);
    expect(() => consumers.consume('turns', () => undefined)).toThrow(/does not consume/);
  });

  it('starts and stops although the backend never comes', async () => {
    const consumers = new Consumers(away, ['events'], log);
    consumers.consume('events', () => undefined);
    consumers.start();
    await consumers.stop();
  });
});
