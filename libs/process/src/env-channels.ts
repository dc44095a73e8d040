/** The first account of each channel; more accounts are rows of the table. */
import { Address, Secret, Text } from './env-setting.js';
import { TurnsEnv } from './env-turns.js';

export class ChannelsEnv extends TurnsEnv {
  @Text('the WhatsApp number that sends, by its phone number id')
  WHATSAPP_PHONE_NUMBER_ID?: string;

  @Secret('token that may send for it')
  WHATSAPP_ACCESS_TOKEN?: string;

  @Secret('secret that signs the webhooks; several, separated by commas, while it is rotated')
  WHATSAPP_APP_SECRET?: string;

  @Secret('word that the subscription handshake must show')
  WHATSAPP_VERIFY_TOKEN?: string;

  @Address(['http', 'https'], 'base address of the WhatsApp Cloud API')
  WHATSAPP_API_URL = 'https://graph.facebook.com';

  @Text('version of that API')
  WHATSAPP_API_VERSION = 'v23.0';

  @Text('the Messenger page')
  MESSENGER_PAGE_ID?: string;

  @Secret('token that may send for it')
  MESSENGER_PAGE_TOKEN?: string;

  @Secret('secret that signs the webhooks; several, separated by commas, while it is rotated')
  MESSENGER_APP_SECRET?: string;

  @Secret('word that the subscription handshake must show')
  MESSENGER_VERIFY_TOKEN?: string;

  @Address(['http', 'https'], 'base address of the Messenger API')
  MESSENGER_API_URL = 'https://graph.facebook.com';

  @Secret('token of the Telegram bot')
  TELEGRAM_BOT_TOKEN?: string;

  @Secret('secret that Telegram shows in a header of its webhooks')
  TELEGRAM_SECRET_TOKEN?: string;

  @Address(['http', 'https'], 'base address of the Telegram Bot API')
  TELEGRAM_API_URL = 'https://api.telegram.org';
}
