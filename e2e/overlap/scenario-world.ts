/** The shared overlap scenarios in one world: every scenario on an account of its own, slowed down, all at once. */
import { repositoryRoot, withConnection } from '#testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWorld, type Backend, type World } from '../harness/world.js';

export interface Scenario {
  name: string;
  concurrency: string | Record<string, string | number>;
  handlerMs: number;
  throwOn?: string[];
  lockScope?: string;
  arrivals: [number, string, string?][];
  expect: {
    calls: { at: number; id: string; skipped: string[]; total: number; thread?: string }[];
    dropped?: Record<string, string>;
    expired?: string[];
    superseded?: string[];
    review?: string[];
  };
}

export const SCENARIOS = JSON.parse(
  readFileSync(join(repositoryRoot, 'libs', 'domain', 'specs', 'scenarios.json'), 'utf8'),
) as Scenario[];

/** So much slower than in the file that processes and wake-ups are quick beside it; a starved machine needs more. */
export const SLOWER = Number(process.env['ONETURN_SLOWER'] ?? 20);
export const SWEEP_MS = 100;

export const accountOf = (index: number): string => String(402600000000500 + index);

/** The account's policy: the scenario's settings, with their times slowed down. */
export function policyOf({ concurrency, lockScope }: Scenario): Record<string, string | number> {
  const settings = typeof concurrency === 'string' ? { strategy: concurrency } : concurrency;
  const slowed = Object.entries(settings).map(([name, value]) => [
    name,
    name.endsWith('Ms') ? Number(value) * SLOWER : value,
  ]);
  return { ...(Object.fromEntries(slowed) as Record<string, string | number>), ...(lockScope ? { lockScope } : {}) };
}

/** @param policies an account for each, beside the one of the environment. */
export async function startOverlapWorld(
  backend: Backend,
  policies: Record<string, string | number>[],
  env: Record<string, string> = {},
): Promise<World> {
  const world = await startWorld({
    backend,
    services: { responder: 2 },
    env: {
      WINDOW_MS: '0',
      MAX_ATTEMPTS: '1',
      SWEEP_MS: String(SWEEP_MS),
      TURN_CONCURRENCY: '40',
      PART_GAP_MS: '0',
      ...env,
    },
    prepare: (database, given) =>
      withConnection(database.url, async (client) => {
        await client.query(`INSERT INTO tenant (name) VALUES ('default')`);
        await client.query(
          `INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version, policy)
            SELECT t.id, 'whatsapp:' || row.id, 'whatsapp', row.id, $3, ARRAY[$4], $5, 'v23.0', row.policy::jsonb
            FROM tenant t, unnest($1::text[], $2::text[]) AS row (id, policy)`,
          [
            policies.map((_, index) => accountOf(index)),
            policies.map((policy) => JSON.stringify(policy)),
            ...[given['WHATSAPP_ACCESS_TOKEN'], given['WHATSAPP_APP_SECRET'], given['WHATSAPP_API_URL']],
          ],
        );
      }),
  });
  const webhook = `${world.only('ingest').url}/webhooks/whatsapp`;
  for (const index of policies.keys()) {
    await world.simulator.deliverTo(webhook, { ...world.env, WHATSAPP_PHONE_NUMBER_ID: accountOf(index) });
  }
  await warmUp(world);
  return world;
}

/** The first of everything is slow (code, connections, plans): it would be taken for a late turn. */
async function warmUp(world: World): Promise<void> {
  const people = Array.from({ length: 10 }, () => world.person());
  await Promise.all(people.map((person) => person.says('is anybody there?')));
  await Promise.all(people.map((person) => person.hears(1, 60_000)));
  world.assistant.requests.length = 0;
}
