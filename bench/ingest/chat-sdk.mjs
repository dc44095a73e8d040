import { setTimeout as delay } from 'node:timers/promises';
import { account } from '../parts/envelope.mjs';
import { peerProgram } from '../parts/peer-program.mjs';

/** A window of the peer's default and a little more: after so long without news nothing is to come. */
const quietMs = 3_000;

/**
 * Chat SDK with one of its strategies, on Redis or on Postgres. It has no table of what it took, so what counts as kept
 * is what it has handed to its handler in the end.
 * @param {{strategy: 'burst' | 'queue', store: 'redis' | 'postgres', poolMax: number}} how
 */
export async function prepareChatSdk({ postgres, redis }, number, { strategy, store, poolMax }, env = {}) {
  const database = `bench_chat_sdk_${strategy}`;
  if (store === 'postgres') await postgres.query(`CREATE DATABASE ${database}`);
  const program = peerProgram('chat-sdk', {
    STRATEGY: strategy,
    ...(store === 'redis'
      ? { REDIS_URL: redis.url(number) }
      : { DATABASE_URL: postgres.urlOf(database), POOL_MAX: String(poolMax) }),
    WHATSAPP_PHONE_NUMBER_ID: account.phoneNumberId,
    WHATSAPP_ACCESS_TOKEN: account.token,
    WHATSAPP_APP_SECRET: account.secret,
    WHATSAPP_VERIFY_TOKEN: 'bench',
    ...env,
  });
  return {
    program,
    kept: async (ids, { url }) => {
      const handed = await handedInTheEnd(url);
      return ids.filter((id) => handed.has(id)).length;
    },
    tidy: async ({ url }) => {
      await fetch(`${url}/handed`, { method: 'DELETE' });
      if (store === 'redis') await redis.client(number, (client) => client.flushdb());
    },
  };
}

/** Waits until nothing is handed over any more. */
export async function handedInTheEnd(url) {
  let handed = new Set();
  for (let since = Date.now(); Date.now() - since < quietMs; await delay(250)) {
    const answer = await fetch(`${url}/handed`);
    const now = new Set((await answer.text()).split('\n').filter((id) => id !== ''));
    if (now.size > handed.size) since = Date.now();
    handed = now;
  }
  return handed;
}
