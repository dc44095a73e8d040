import type { Channel, ChannelDriver } from '#domain';
import { createWhatsAppDriver } from './whatsapp/driver.js';

export { createWhatsAppDriver } from './whatsapp/driver.js';
export { verifySignature } from './verify-signature.js';

/** The WhatsApp Cloud API. Holds no state, so one is enough for a process. */
export const whatsapp: ChannelDriver = createWhatsAppDriver();

/** The driver that speaks for a channel; null for a channel that has none yet. */
export function driverFor(channel: Channel): ChannelDriver | null {
  switch (channel) {
    case 'whatsapp':
      return whatsapp;
    case 'messenger':
    case 'telegram':
      return null;
  }
}
