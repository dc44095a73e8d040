import { keptSecret } from './data-place.mjs';
import { freePort } from './free-port.mjs';

const ports = { CONSOLE: 3000, INGEST: 3001, BATCHER: 3002, RESPONDER: 3003, SIMULATOR: 3900 };

/** Whether real credentials are missing, so that the simulator plays the channel. */
export const needsSimulator = (env) => !env.WHATSAPP_ACCESS_TOKEN;

/**
 * The environment of the services under `npm start`: the caller's, completed by the database, by ports that are known
 * beforehand, and, without real credentials, by an account that lives at the simulator.
 */
export async function startEnvironment(given, databaseUrl, place) {
  const env = { ...given, DATABASE_URL: databaseUrl, NODE_ENV: given.NODE_ENV || 'production' };
  env.HOST ||= '127.0.0.1';
  for (const [service, usual] of Object.entries(ports)) {
    const wanted = env[`${service}_PORT`] || usual;
    env[`${service}_PORT`] = String(Number(wanted) === 0 ? await freePort() : wanted);
  }
  env.CONSOLE_API_TOKEN ||= keptSecret(place, 'console-token');
  if (!needsSimulator(given)) return env;
  env.WHATSAPP_PHONE_NUMBER_ID ||= '402600000000201';
  env.WHATSAPP_ACCESS_TOKEN = keptSecret(place, 'simulator-access-token');
  env.WHATSAPP_APP_SECRET ||= keptSecret(place, 'simulator-app-secret');
  env.WHATSAPP_VERIFY_TOKEN ||= keptSecret(place, 'simulator-verify-token');
  env.WHATSAPP_API_URL = addressOf(env, 'SIMULATOR');
  return env;
}

/** Where a service listens, as an address that this machine can open. */
export function addressOf(env, service) {
  const host =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[env.HOST] ?? (env.HOST.includes(':') ? `[${env.HOST}]` : env.HOST);
  return `http://${host}:${env[`${service}_PORT`]}`;
}
