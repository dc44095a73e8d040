/** Everything that a run stands on: two of each service, a Postgres and a Redis of its own, channel, model, console. */
import { startService } from '#testing';
import { serviceEnv } from '../times.mjs';
import { Crew } from './crew.mjs';
import { startGate } from './gate.mjs';
import { startModel } from './model.mjs';
import { startPostgres } from './postgres.mjs';
import { watchLocks } from './lock-waits.mjs';
import { feelPulse } from './pulse.mjs';
import { startRedis } from './redis.mjs';
import { simulatorAt } from './simulator.mjs';
import { startWire } from './wire.mjs';

/** The first account asks a person about parts of unknown fate; the second one resends them. */
export const ACCOUNTS = [
  { externalId: '402600000000201', unknownSend: 'review' },
  { externalId: '402600000000202', unknownSend: 'resend' },
];
const TOKEN = 'torture-access-token';
const SECRET = 'torture-app-secret';
const CONSOLE_TOKEN = 'torture-console-token';
const TWICE = ['ingest-1', 'ingest-2', 'batcher-1', 'batcher-2', 'responder-1', 'responder-2'];

/**
 * @param {import('../options.mjs').Options} options
 * @param {string} folder of this run.
 * @param {import('../random.mjs').Random} random
 */
export async function openLab({ backend, strategy }, folder, random) {
  const closing = [];
  const close = async () => {
    for (const end of closing.reverse()) await Promise.resolve(end()).catch(() => {});
  };
  try {
    const postgres = await startPostgres(folder);
    closing.push(() => postgres.stop());
    const redis = backend === 'redis' ? await startRedis() : null;
    if (redis) closing.push(() => redis.kill());
    const model = await startModel(random.fork('model'));
    closing.push(() => model.close());

    const wires = new Map();
    for (const name of ['responder-1', 'responder-2']) wires.set(name, await startWire(postgres.url));
    closing.push(() => wires.forEach((wire) => wire.close()));
    const base = {
      ...Object.fromEntries(Object.entries(serviceEnv({ strategy })).map(([name, value]) => [name, String(value)])),
      ...(redis ? { REDIS_URL: redis.url } : {}),
      OPENAI_BASE_URL: model.baseUrl,
      WHATSAPP_PHONE_NUMBER_ID: ACCOUNTS[0].externalId,
      WHATSAPP_ACCESS_TOKEN: TOKEN,
      WHATSAPP_APP_SECRET: SECRET,
      WHATSAPP_VERIFY_TOKEN: 'torture-verify-token',
      CONSOLE_API_TOKEN: CONSOLE_TOKEN,
    };
    const crew = new Crew(
      (name, boot) => ({
        ...base,
        DATABASE_URL: wires.get(name)?.url ?? postgres.url,
        OPENAI_API_KEY: `${name}.${boot}`,
      }),
      folder,
    );
    closing.push(() => crew.closeAll());
    const gate = await startGate(() =>
      ['ingest-1', 'ingest-2'].map((name) => ({ name, url: crew.url(name) })).filter(({ url }) => url !== null),
    );
    closing.push(() => gate.close());

    const channel = await startService('simulator', { ...base, SIMULATOR_WEBHOOK_URL: gate.url });
    closing.push(() => channel.kill('SIGKILL'));
    const simulator = simulatorAt(channel.url);
    base.WHATSAPP_API_URL = channel.url;
    await simulator.control('settings', {
      // What is not tortured here must not be what stops a long run.
      pairLimit: { burst: 10_000, refillMs: 10 },
      retry: { baseMs: 150, maxDelayMs: 1_500 },
    });
    await simulator.control('accounts', {
      phoneNumberId: ACCOUNTS[1].externalId,
      accessToken: TOKEN,
      appSecret: SECRET,
    });
    // The first start writes the first account; the rest follows.
    await crew.add('console-1');
    await addSecondAccount(postgres, channel.url);
    await Promise.all(TWICE.map((name) => crew.add(name)));
    const pulse = feelPulse(postgres);
    closing.push(() => pulse.stop());
    const locks = watchLocks(postgres);
    closing.push(() => locks.stop());
    return {
      backend,
      pulse,
      locks,
      postgres,
      redis,
      model,
      gate,
      crew,
      simulator,
      wires,
      console: consoleAt(crew),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function addSecondAccount(postgres, apiUrl) {
  await postgres.rows(
    `INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version, policy)
     SELECT tenant_id, 'whatsapp:' || $1, channel, $1, access_token, app_secrets, $2, api_version, '{"unknownSend": "resend"}'
     FROM account LIMIT 1`,
    [ACCOUNTS[1].externalId, apiUrl],
  );
}

/** The console's API: `[status, body]`; status null when it did not answer. */
function consoleAt(crew) {
  return async (path, body) => {
    try {
      const response = await fetch(`${crew.url('console-1')}/api/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${CONSOLE_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
      return [response.status, await response.json().catch(() => null)];
    } catch {
      return [null, null];
    }
  };
}
