/** B04, B08, B09: copies, fragments and steady typists. */
import { eventually, withConnection } from '#testing';
import type { Person } from '../harness/person.js';
import { sideBySide, type Case } from '../harness/side-by-side.js';
import { startTcpProxy } from '../harness/tcp-proxy.js';
import { at, createGate } from '../harness/timing.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

/** A second account of the business, which answers at once: window 0. */
const AT_ONCE = '402600000000209';

interface BatchRow {
  id: string;
  firstAt: number;
  lastAt: number;
  dueAt: number;
  startedAt: number;
  texts: string[];
}

async function batchesOf(world: World, person: Person): Promise<BatchRow[]> {
  return world.query<BatchRow>(
    `SELECT b.id::text, epoch_ms(b.first_at) AS "firstAt", epoch_ms(b.last_at) AS "lastAt", epoch_ms(b.due_at) AS "dueAt",
        (SELECT epoch_ms(min(started_at)) FROM turn WHERE batch_id = b.id) AS "startedAt",
        (SELECT array_agg(e.parsed #>> '{speech,text}' ORDER BY e.id) FROM event e WHERE e.batch_id = b.id) AS texts
      FROM batch b JOIN contact_alias a USING (conversation_id) WHERE a.value = $1 ORDER BY b.id`,
    [person.phone],
  );
}

/** Both ingests in turn, as behind a load balancer. */
async function startWithTwoIngests(backend: (typeof BACKENDS)[number]): Promise<World> {
  const world = await startWorld({
    backend,
    services: { ingest: 2, console: 0 },
    prepare: (database, env) =>
      withConnection(database.url, async (client) => {
        await client.query(`INSERT INTO tenant (name) VALUES ('default')`);
        await client.query(
          `INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version, policy)
            SELECT id, 'whatsapp:' || $1, 'whatsapp', $1, $2, ARRAY[$3], $4, 'v23.0', '{"windowMs": 0}' FROM tenant`,
          [AT_ONCE, env['WHATSAPP_ACCESS_TOKEN'], env['WHATSAPP_APP_SECRET'], env['WHATSAPP_API_URL']],
        );
      }),
  });
  const ingests = world.running.filter((service) => service.name === 'ingest').map((service) => service.url);
  const balancer = await startTcpProxy(...ingests);
  const webhook = balancer.through(`${ingests[0]}/webhooks/whatsapp`);
  await world.simulator.deliverTo(webhook, world.env);
  await world.simulator.deliverTo(webhook, { ...world.env, WHATSAPP_PHONE_NUMBER_ID: AT_ONCE });
  const { close } = world;
  return Object.assign(world, { close: () => Promise.all([close(), balancer.close()]) });
}

const copies: Case = async (world) => {
  const person = world.person();
  const [many, other] = await Promise.all([person.says('photo one', { copies: 20 }), person.says('photo two')]);
  expect([...many.deliveries, other.delivered]).toEqual(Array<number>(21).fill(200));
  await person.hears(1);
  expect(person.turns().map((texts) => texts.toSorted())).toEqual([['photo one', 'photo two']]);
  expect(await person.received()).toHaveLength(1);
  const [stored] = await world.query(
    'SELECT count(*)::int AS events, count(DISTINCT conversation_id)::int AS conversations FROM event WHERE external_id = ANY($1)',
    [[many.id, other.id]],
  );
  expect(stored).toEqual({ events: 2, conversations: 1 });
  const counts = world.running
    .filter((service) => service.name === 'ingest')
    .map(async ({ url }) => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/events_total\{[^}]*novelty="duplicate"[^}]*\} (\d+)/.exec(metrics)?.[1] ?? 0);
    });
  // Nobody else of this world sends anything twice.
  expect((await Promise.all(counts)).reduce((sum, count) => sum + count)).toBe(19);
};

const fragments: Case = async (world) => {
  const person = world.person();
  person.willBeAnswered({ latencyMs: 3_000, parts: ['Here it is.'] });
  const start = Date.now();
  for (const [ms, text] of [
    [0, 'send me the code'],
    [1_500, 'document 4411'],
    [2_900, 'thanks'],
  ] as const) {
    await at(start, ms);
    await person.says(text);
  }
  await person.hears(1);
  expect(person.turns()).toEqual([['send me the code', 'document 4411', 'thanks']]);
  expect(await person.received()).toHaveLength(1);
};

const fragmentsWithoutWindow: Case = async (world) => {
  const person = world.person();
  const account = { account: AT_ONCE };
  const gate = createGate();
  person.willBeAnswered(async () => {
    await gate.opened;
    return { parts: ['Which document?'] };
  });
  await person.says('send me the code', account);
  await person.isAsked(1);
  await person.says('document 4411', account);
  await person.says('thanks', account);
  gate.open();
  await person.isAsked(2);
  expect(person.turns()).toEqual([['send me the code'], ['document 4411', 'thanks']]);
  await eventually(async () => (await person.sends()).length === 2);
};

/** Every message is in exactly one batch, and each batch is due when its own window or its own cap ends. */
async function expectNoneLost(world: World, person: Person, said: string[]): Promise<BatchRow[]> {
  const batches = await eventually(async () => {
    const rows = await batchesOf(world, person);
    return rows.every((row) => row.startedAt !== null) && rows;
  });
  expect(batches.flatMap((batch) => batch.texts)).toEqual(said);
  expect(batches.map((batch) => batch.dueAt)).toEqual(
    batches.map((batch) => Math.min(batch.lastAt + 2_000, batch.firstAt + 6_000)),
  );
  return batches;
}

const steadyTypist: Case = async (world) => {
  const person = world.person();
  const said: string[] = [];
  const start = Date.now();
  for (let ms = 0; ms <= 14_400; ms += 900) {
    await at(start, ms);
    said.push(`line ${said.length + 1}`);
    await person.says(said.at(-1) as string);
  }
  await eventually(() => person.turns().flat().length === said.length);
  const batches = await expectNoneLost(world, person, said);
  // The first answer does not wait for the end of the typing; what is left after the last cap has its own window.
  expect(batches.length).toBeGreaterThanOrEqual(3);
  expect(batches.some((batch) => batch.dueAt === batch.firstAt + 6_000)).toBe(true);
  expect(person.turns().flat()).toEqual(said);
};

const edgeOfTheCap: Case = async (world) => {
  const person = world.person();
  await person.says('first');
  const { firstAt } = await eventually(async () => (await batchesOf(world, person))[0]);
  const said = ['first'];
  // Often enough that no stall of the machine ends the window before the cap.
  for (const ms of [800, 1_600, 2_400, 3_200, 4_000, 4_800, 5_600, 5_995, 6_005]) {
    await at(firstAt, ms);
    said.push(`at ${ms}`);
    await person.says(said.at(-1) as string);
  }
  await eventually(() => person.turns().flat().length === said.length);
  const batches = await expectNoneLost(world, person, said);
  expect((batches[0]?.dueAt ?? 0) - firstAt).toBe(6_000);
};

describe.each(BACKENDS)('windows, with two ingests and wake-ups over %s', (backend) => {
  sideBySide(() => startWithTwoIngests(backend), {
    'B04: twenty copies in the same moment are one message': copies,
    'B08: fragments are answered together': fragments,
    'B08: without a window the first is answered alone, the others together after it': fragmentsWithoutWindow,
    'B09: a steady typist is answered at the cap': steadyTypist,
    'B09: messages at the edge of the cap neither extend it nor get lost': edgeOfTheCap,
  });
});
