/** B23 and B24: statuses in any order, and events that are no questions. */
import { eventually } from '#testing';
import { reviewsOf } from '../harness/parts.js';
import type { Person } from '../harness/person.js';
import { sideBySide, type Case } from '../harness/side-by-side.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

type Status = 'sent' | 'delivered' | 'read' | 'failed';

const permutations = <T>(items: T[]): T[][] =>
  items.length < 2
    ? [items]
    : items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));

/** A person whose reply gets exactly these statuses, one after the other. */
async function isTold(world: World, statuses: (Status | { status: Status; times: number })[]): Promise<Person> {
  const person = world.person();
  const script = statuses.map((step) => (typeof step === 'string' ? { status: step } : step));
  await world.simulator.fault({ kind: 'statuses', to: person.phone, statuses: script });
  await person.says('hi');
  return person;
}

/** The state once every status has been applied. */
async function endState(world: World, person: Person, statuses: number): Promise<string | undefined> {
  const [row] = await eventually(
    async () => {
      // One statement: the state must be that of the moment of the count.
      const rows = await world.query<{ state: string; applied: number }>(
        `SELECT p.state, (SELECT count(*)::int FROM event e WHERE e.kind = 'status' AND e.outcome = 'applied'
            AND e.parsed ->> 'providerId' = p.provider_id) AS applied
          FROM part p JOIN contact_alias a USING (conversation_id) WHERE a.value = $1`,
        [person.phone],
      );
      return rows[0]?.applied === statuses && rows;
    },
    { timeoutMs: 40_000, everyMs: 250 },
  );
  return row?.state;
}

/** All orders of `statuses` end in `end`: WhatsApp promises none. */
const endsEqual =
  (statuses: Status[], end: string): Case =>
  async (world) => {
    const orders = permutations(statuses);
    const people = await Promise.all(orders.map((order) => isTold(world, order)));
    const ends = await Promise.all(people.map((person) => endState(world, person, statuses.length)));
    expect(orders.map((order, at) => `${order.join(' ')}: ${ends[at]}`)).toEqual(
      orders.map((order) => `${order.join(' ')}: ${end}`),
    );
  };

const twice: Case = async (world) => {
  const doubled = (['delivered', 'sent', 'read', 'delivered', 'read'] as const).map((status) => ({ status, times: 2 }));
  const person = await isTold(world, doubled);
  expect(await endState(world, person, 3)).toBe('read');
};

const early: Case = async (world) => {
  const person = world.person();
  await world.simulator.fault({ kind: 'early-status', to: person.phone, holdMs: 500, statuses: 'none' });
  await person.says('hi');
  expect(await endState(world, person, 1)).toBe('sent');
};

/** Nothing in it says that it is ours until the send call has returned the id. */
const earlyAndUntracked: Case = async (world) => {
  const person = world.person();
  await world.simulator.fault({
    kind: 'statuses',
    to: person.phone,
    statuses: [
      { status: 'sent', tracker: false },
      { status: 'delivered', tracker: false },
    ],
  });
  await world.simulator.fault({ kind: 'latency', when: 'after', ms: 1_000, to: person.phone });
  await person.says('hi');
  expect(await endState(world, person, 2)).toBe('delivered');
};

const failedThenSent: Case = async (world) => {
  const person = await isTold(world, ['failed', 'sent']);
  expect(await endState(world, person, 2)).toBe('failed');
  expect(await reviewsOf(world, person)).toMatchObject([{ reason: 'send-failed', state: 'open' }]);
};

const revived: Case = async (world) => {
  const person = await isTold(world, ['failed', 'sent', 'delivered']);
  expect(await endState(world, person, 3)).toBe('delivered');
  // Told of both at once, the router opens no case at all.
  expect((await reviewsOf(world, person)).filter((review) => review.state === 'open')).toEqual([]);
};

interface EventRow {
  kind: string;
  outcome: string | null;
  reason: string | null;
}

async function eventsOf(world: World, ids: string[]): Promise<EventRow[]> {
  return world.query<EventRow>(
    'SELECT kind, outcome, reason FROM event WHERE external_id = ANY($1) ORDER BY array_position($1, external_id)',
    [ids],
  );
}

/** What each is, as Meta sends it, and what must become of it. */
const NO_QUESTIONS: [name: string, message: Record<string, unknown>, kind: string, reason: string][] = [
  ['a reaction', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍' } }, 'reaction', 'reaction'],
  ['a reaction taken back', { type: 'reaction', reaction: { message_id: 'wamid.x' } }, 'reaction', 'reaction'],
  [
    'a poll',
    {
      type: 'unsupported',
      unsupported: { type: 'poll_creation' },
      errors: [{ code: 131051, title: 'Message type unknown' }],
    },
    'unsupported',
    'unsupported',
  ],
  [
    'a number change',
    { type: 'system', system: { body: 'changed', wa_id: '15550199999', type: 'user_changed_number' } },
    'system',
    'system',
  ],
];

const noQuestions: Case = async (world) => {
  const person = world.person();
  await person.says('hi');
  await person.hears(1);
  const ids: string[] = [];
  for (const [, message] of NO_QUESTIONS) ids.push((await person.says('', { message })).id);
  // Each vote is a webhook of its own, without any content.
  for (let vote = 0; vote < 3; vote++) {
    ids.push((await person.says('', { message: { type: 'unsupported', unsupported: { type: 'poll_update' } } })).id);
  }
  const events = await eventually(async () => {
    const rows = await eventsOf(world, ids);
    return rows.every((row) => row.outcome !== null) && rows;
  });
  expect(events).toEqual([
    ...NO_QUESTIONS.map(([, , kind, reason]) => ({ kind, outcome: 'ignored', reason })),
    ...Array<EventRow>(3).fill({ kind: 'unsupported', outcome: 'ignored', reason: 'unsupported' }),
  ]);
  const other = world.person();
  await other.says('and me?');
  await other.hears(1);
  expect(person.turns()).toEqual([['hi']]);
};

const unsupportedFirst: Case = async (world) => {
  const person = world.person();
  const { id } = await person.says('', { message: { type: 'unsupported', unsupported: { type: 'poll_creation' } } });
  await eventually(async () => (await reviewsOf(world, person)).length === 1);
  expect(await eventsOf(world, [id])).toEqual([{ kind: 'unsupported', outcome: 'review', reason: 'unsupported' }]);
  expect(person.turns()).toEqual([]);
};

const reactionInsideTheWindow: Case = async (world) => {
  const person = world.person();
  const { id } = await person.says('hi');
  const due = (): Promise<{ due: string }[]> =>
    world.query(
      `SELECT b.due_at::text AS due FROM batch b JOIN contact_alias a USING (conversation_id) WHERE a.value = $1`,
      [person.phone],
    );
  const before = await eventually(async () => {
    const rows = await due();
    return rows.length > 0 && rows;
  });
  const reaction = await person.says('', { message: { type: 'reaction', reaction: { message_id: id, emoji: '🙏' } } });
  await eventually(async () => (await eventsOf(world, [reaction.id]))[0]?.outcome);
  await person.hears(1);
  expect(await due()).toEqual(before);
  expect(person.turns()).toEqual([['hi']]);
};

/** A sticker is something that a person said: it is answered like a picture. */
const sticker: Case = async (world) => {
  const person = world.person();
  await person.says('', { message: { type: 'sticker', sticker: { id: '880100000000505', mime_type: 'image/webp' } } });
  await person.isAsked(1);
  expect(person.asked().map(({ turn }) => turn.messages.map((message) => message.type))).toEqual([['sticker']]);
};

/** A webhook with statuses alone, about a message that is not ours. */
const statusOnly: Case = async (world) => {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100200', phone_number_id: world.env['WHATSAPP_PHONE_NUMBER_ID'] },
    statuses: [{ id: 'wamid.foreign', status: 'read', timestamp: '1796040094', recipient_id: '15550108888' }],
  };
  const entry = [{ id: '318400000000101', changes: [{ field: 'messages', value }] }];
  const body = { object: 'whatsapp_business_account', entry };
  expect(await world.simulator.control('raw', { body })).toMatchObject({ delivered: 200 });
  await eventually(
    async () => (await world.query(`SELECT FROM parked_status WHERE provider_id = 'wamid.foreign'`)).length,
  );
  expect(world.assistant.requests.filter(({ turn }) => JSON.stringify(turn).includes('15550108888'))).toEqual([]);
};

describe('events that are not questions', () => {
  sideBySide(
    () =>
      startWorld({
        backend: BACKENDS[0] ?? 'postgres',
        services: { console: 0 },
        env: { TURN_CONCURRENCY: '30', SEND_TIMEOUT_MS: '10000' },
      }),
    {
      'B23: all orders of the four statuses end as read': endsEqual(['sent', 'delivered', 'read', 'failed'], 'read'),
      'B23: all orders without read end as delivered': endsEqual(['sent', 'delivered', 'failed'], 'delivered'),
      'B23: statuses that come twice are counted once': twice,
      'B23: a status before the answer to the send is applied': early,
      'B23: the same when it names nothing but the id': earlyAndUntracked,
      'B23: failed is not revived by a late sent': failedThenSent,
      'B23: failed is revived by proof of delivery': revived,
      'B24: reactions, polls and number changes start no turn': noQuestions,
      'B24: an unsupported first contact is a case for a person': unsupportedFirst,
      'B24: a reaction does not extend the window': reactionInsideTheWindow,
      'B24: a sticker is a message': sticker,
      'B24: a webhook with statuses alone starts nothing': statusOnly,
    },
    // So many at the same moment wait for each other: how long says something about the machine alone.
    { waits: false },
  );
});
