/** Every recorded WhatsApp payload, replayed byte for byte with its signature: 200, and each event in its place. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, repositoryRoot, shiftDatabaseClock, withConnection } from '#testing';
import { checkInvariants } from './harness/check-invariants.js';
import { settle } from './harness/settle.js';
import { BACKENDS, startWorld, type World } from './harness/world.js';

/** Some seconds after the latest of the payloads, epoch ms: to this clock they have just been said. */
const CLOCK = 1_796_040_120_000;
const DAY_MS = 24 * 3_600_000;
const SECOND_ACCOUNT = '402600000000202';

type Place = `${string} ${string}`;

const answered: Place[] = ['message in_batch'];
/** The id is known already, the content is another. */
const variant: Place = 'kept variant';
const foreignStatus: Place = 'status ignored status-of-foreign-message';

/** Kind, outcome and reason of every event of each file, in order. */
const EXPECTED: Record<string, Place[]> = {
  'wa-batch-two-entries-two-numbers-messages-and-status': [
    'message in_batch',
    'message in_batch',
    foreignStatus,
    'message in_batch',
  ],
  'wa-burst-three-messages-one-change': ['message in_batch', 'message in_batch', 'message in_batch'],
  'wa-click-to-whatsapp-referral': answered,
  'wa-contacts-card': answered,
  'wa-dashboard-test-event-unknown-number': ['message ignored unknown-account'],
  'wa-document': answered,
  'wa-edit': ['edit applied'],
  'wa-errors-at-value-level': ['notice ignored notice'],
  'wa-group-text': answered,
  'wa-image-caption-with-url': answered,
  'wa-interactive-button-reply': answered,
  'wa-interactive-list-reply': answered,
  'wa-location': answered,
  'wa-order': answered,
  'wa-reaction-added': ['reaction ignored reaction'],
  'wa-reaction-removed-no-emoji': ['reaction ignored reaction'],
  'wa-reply-context': answered,
  'wa-request-welcome': ['system ignored system'],
  'wa-smb-message-echo-human-on-phone': ['echo applied takeover'],
  // The samples name messages that nobody here has sent, and two of them tell one delivery with different content.
  'wa-status-delivered': [foreignStatus],
  'wa-status-failed-131047-window': [foreignStatus],
  'wa-status-played': ['status ignored status-not-used'],
  'wa-status-read-arrives-before-delivered': [foreignStatus, variant],
  'wa-status-sent-with-callback-data': [foreignStatus],
  'wa-status-unknown-wamid': [foreignStatus],
  'wa-sticker-animated': answered,
  'wa-system-user-changed-number': ['system ignored system'],
  'wa-template-quick-reply-button': answered,
  'wa-text': answered,
  'wa-text-emoji-accents-slash': answered,
  // More than a year old.
  'wa-text-no-bsuid-old-shape': ['message review late'],
  'wa-text-username-phone-omitted': answered,
  'wa-text-username-phone-still-present': answered,
  'wa-unsupported-131051': ['unsupported ignored unsupported'],
  'wa-user-id-update': ['system ignored system'],
  'wa-user-preferences-stop': ['notice ignored notice'],
  'wa-video': answered,
  'wa-voice-note': answered,
};

const folder = join(repositoryRoot, 'libs', 'channels', 'payloads');
const bodyOf = (name: string): string => readFileSync(join(folder, `${name}.json`), 'utf8');
const files = readdirSync(folder)
  .filter((file) => file.startsWith('wa-') && file.endsWith('.json'))
  .map((file) => file.replace(/\.json$/, ''));

/** The latest time in a file, epoch s: the files are replayed as they happened. */
const timeOf = (name: string): number =>
  Math.max(...[...bodyOf(name).matchAll(/"timestamp": ?"?(\d{10})\b/g)].map((match) => Number(match[1])), 0);

describe('recorded payloads', () => {
  let world: World;
  const answers = new Map<string, number | null>();
  const idsOf = new Map<string, string[]>();
  const places = new Map<string, Place[]>();

  beforeAll(async () => {
    world = await startWorld({
      backend: BACKENDS[0] ?? 'postgres',
      services: { console: 0 },
      prepare: async (database, env) => {
        await shiftDatabaseClock(database.url, CLOCK - Date.now());
        await withConnection(database.url, async (client) => {
          await client.query(`INSERT INTO tenant (name) VALUES ('default')`);
          await client.query(
            `INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
              SELECT id, 'whatsapp:' || $1, 'whatsapp', $1, $2, ARRAY[$3], $4, 'v23.0' FROM tenant`,
            [SECOND_ACCOUNT, env['WHATSAPP_ACCESS_TOKEN'], env['WHATSAPP_APP_SECRET'], env['WHATSAPP_API_URL']],
          );
        });
      },
    });
    await world.simulator.control('clock', { offsetMs: CLOCK - Date.now() });
    const webhook = `${world.only('ingest').url}/webhooks/whatsapp`;
    await world.simulator.deliverTo(webhook, { ...world.env, WHATSAPP_PHONE_NUMBER_ID: SECOND_ACCOUNT });

    for (const name of files.toSorted((a, b) => timeOf(a) - timeOf(b))) {
      // The business answers from its phone when the assistant has answered everything before.
      if (name.includes('echo')) await settle(world, 60_000);
      await replay(name);
    }
    await settle(world, 60_000);
    // A day later nobody has claimed the messages that some of the statuses name.
    await shiftDatabaseClock(world.database.url, CLOCK - Date.now() + 1.5 * DAY_MS);
    await eventually(async () => (await world.query('SELECT FROM parked_status')).length === 0);
    for (const [name, ids] of idsOf) places.set(name, await placesOf(ids));
  }, 240_000);
  afterAll(() => world?.close());

  /** Posts a file and notes what is new with it. */
  async function replay(name: string): Promise<void> {
    const before = new Set(await storedIds());
    const { delivered } = await world.simulator.control<{ delivered: number }>('raw', { body: bodyOf(name) });
    answers.set(name, delivered);
    idsOf.set(
      name,
      (await storedIds()).filter((id) => !before.has(id)),
    );
  }

  /** Events and variants. The statuses of our own replies come at any time and belong to no file. */
  async function storedIds(): Promise<string[]> {
    const rows = await world.query<{ id: string }>(
      `SELECT 'event ' || id AS id FROM event WHERE coalesce(parsed ->> 'tracker', '') NOT LIKE 'part:%'
        UNION ALL SELECT 'variant ' || id FROM event_variant`,
    );
    return rows.map((row) => row.id);
  }

  async function placesOf(ids: string[]): Promise<Place[]> {
    const rows = await world.query<{ place: Place }>(
      `SELECT concat_ws(' ', kind, outcome, reason) AS place FROM event WHERE 'event ' || id = ANY($1)
        ORDER BY arrival_group, arrival_index`,
      [ids],
    );
    return [...rows.map((row) => row.place), ...ids.filter((id) => id.startsWith('variant')).map(() => variant)];
  }

  it('all have an expectation', () => {
    expect(files.toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });

  it.each(files)('%s', (name) => {
    expect(answers.get(name)).toBe(200);
    expect(places.get(name)).toEqual(EXPECTED[name]);
  });

  it('keeps the invariants', () => checkInvariants(world, { waits: false }), 60_000);
});
