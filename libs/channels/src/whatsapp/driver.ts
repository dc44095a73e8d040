import type { ChannelDriver } from '#domain';
import { markRead } from './mark-read.js';
import { parseBody } from './parse-body.js';
import { send } from './send.js';

/**
 * The WhatsApp Cloud API. Text bodies up to 4,096, typing for 25 s, and free-form replies for 24 hours after the
 * person's last message (Meta, text messages; typing indicators; customer service windows).
 */
export function createWhatsAppDriver(): ChannelDriver {
  return {
    channel: 'whatsapp',
    limits: { partLength: 4096, typingMs: 25_000, serviceWindowMs: 24 * 60 * 60 * 1000 },
    parse: parseBody,
    send,
    markRead,
  };
}
