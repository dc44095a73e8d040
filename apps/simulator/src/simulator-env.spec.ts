import { readEnv } from '#process';

import { optionsFromEnv } from './simulator-env.js';

test('signs with the first secret of a rotation and finds ingest by its port', () => {
  const env = readEnv({
    WHATSAPP_APP_SECRET: 'new, old',
    WHATSAPP_PHONE_NUMBER_ID: '77',
    INGEST_PORT: '4001',
    WINDOW_MS: '3000',
  });
  const { accounts, settings } = optionsFromEnv(env);
  expect(accounts).toMatchObject([
    { appSecret: 'new', phoneNumberId: '77', webhookUrl: 'http://127.0.0.1:4001/webhooks/whatsapp' },
  ]);
  expect(settings.windowMs).toBe(3000);
});

test('refuses an address that others reach, unless told otherwise', () => {
  expect(() => optionsFromEnv(readEnv({ HOST: '0.0.0.0' }))).toThrow('SIMULATOR_ALLOW_REMOTE=1');
  const { accounts } = optionsFromEnv(readEnv({ HOST: '0.0.0.0', SIMULATOR_ALLOW_REMOTE: '1' }));
  expect(accounts[0]?.webhookUrl).toBe('http://127.0.0.1:3001/webhooks/whatsapp');
});
