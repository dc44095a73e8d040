import { commaList, type Env, EnvError } from '#process';

import { type AccountOptions, DEFAULT_SETTINGS, type SimulatorOptions } from './options.js';

/** The number that the simulator plays when no credentials are set. */
const INVENTED = {
  phoneNumberId: '402600000000201',
  accessToken: 'simulator-token',
  appSecret: 'simulator-secret',
};

/**
 * The simulator's options out of the process's environment.
 * @throws EnvError when HOST is not loopback and SIMULATOR_ALLOW_REMOTE is not 1: the control API has no login.
 */
export function optionsFromEnv(env: Readonly<Env>): SimulatorOptions {
  if (!isLoopback(env.HOST) && env.SIMULATOR_ALLOW_REMOTE !== '1') {
    throw new EnvError([
      `HOST is ${env.HOST}, which is not loopback, and whoever reaches the simulator can write as any customer. ` +
        'Set SIMULATOR_ALLOW_REMOTE=1 if that is wanted.',
    ]);
  }
  return {
    accounts: [accountFromEnv(env)],
    settings: { ...DEFAULT_SETTINGS, windowMs: env.WINDOW_MS, maxWaitMs: env.MAX_WAIT_MS },
  };
}

/** Whether only this machine reaches `host`. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function accountFromEnv(env: Readonly<Env>): AccountOptions {
  const { HOST: host } = env;
  const target = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return {
    phoneNumberId: env.WHATSAPP_PHONE_NUMBER_ID ?? INVENTED.phoneNumberId,
    accessToken: env.WHATSAPP_ACCESS_TOKEN ?? INVENTED.accessToken,
    // A list means that a rotation is under way: the first one signs.
    appSecret: commaList(env.WHATSAPP_APP_SECRET)[0] ?? INVENTED.appSecret,
    webhookUrl: env.SIMULATOR_WEBHOOK_URL ?? `http://${target}:${env.INGEST_PORT}/webhooks/whatsapp`,
  };
}
