/** B19: a person takes the conversation, before, during and after the assistant's answer. */
import { eventually } from '#testing';
import type { Person } from '../harness/person.js';
import { sideBySide } from '../harness/side-by-side.js';
import { createGate } from '../harness/timing.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

interface Review {
  reason: string;
  detail: string | null;
  draft: string | null;
}

async function conversationOf(world: World, person: Person): Promise<string> {
  const { items } = await eventually(async () => {
    const page = await world.console<{ items: { id: string }[] }>(`/api/conversations?q=${person.phone}`);
    return page.items.length === 1 && page;
  });
  return items[0]?.id ?? '';
}

async function takeOver(world: World, person: Person): Promise<string> {
  const id = await conversationOf(world, person);
  await world.console(`/api/conversations/${id}/takeover`, { method: 'POST', body: { by: 'Marta' } });
  return id;
}

async function batchesOf(world: World, conversationId: string): Promise<string[]> {
  const rows = await world.query<{ state: string }>(
    'SELECT state FROM batch WHERE conversation_id = $1::bigint ORDER BY id',
    [conversationId],
  );
  return rows.map((row) => row.state);
}

async function outcomesOf(world: World, conversationId: string): Promise<string[]> {
  const rows = await world.query<{ outcome: string }>(
    `SELECT outcome FROM event WHERE conversation_id = $1::bigint AND kind = 'message' ORDER BY id`,
    [conversationId],
  );
  return rows.map((row) => row.outcome);
}

/** Somebody else writes and is answered: whatever was to follow from what came before has had its time. */
async function anothersTurnPasses(world: World): Promise<void> {
  const other = world.person();
  await other.says('and me?');
  await other.hears(1);
}

async function reviewsOf(world: World, conversationId: string): Promise<Review[]> {
  const page = await world.console<{ items: (Review & { conversationId: string })[] }>(
    `/api/reviews?state=open&conversationId=${conversationId}`,
  );
  return page.items.map(({ reason, detail, draft }) => ({ reason, detail, draft }));
}

describe.each(BACKENDS)('a person takes over, wake-ups over %s', (backend) => {
  sideBySide(
    () =>
      startWorld({
        backend,
        env: { TURN_CONCURRENCY: '20', LEASE_MS: '20000', LEASE_RENEW_MS: '10000', WINDOW_MS: '4000' },
      }),
    {
      'a: inside the window, and gives it back': async (world) => {
        const person = world.person();
        await person.says('hi');
        const id = await takeOver(world, person);
        expect(await batchesOf(world, id)).toEqual(['human']);
        await person.says('is anybody there?');
        await anothersTurnPasses(world);
        expect(person.turns()).toEqual([]);
        expect(await outcomesOf(world, id)).toEqual(['human', 'human']);
        await world.console(`/api/conversations/${id}/release`, { method: 'POST', body: {} });
        await person.hears(1);
        expect(person.turns()).toEqual([['hi', 'is anybody there?']]);
        expect(await outcomesOf(world, id)).toEqual(['in_batch', 'in_batch']);
      },

      'b: while the assistant answers': async (world) => {
        const person = world.person();
        const gate = createGate();
        person.willBeAnswered(async () => {
          await gate.opened;
          return { parts: ['too late'] };
        });
        await person.says('hi');
        await person.isAsked(1);
        const id = await takeOver(world, person);
        gate.open();
        await person.says('hello?');
        await anothersTurnPasses(world);
        expect(await batchesOf(world, id)).toEqual(['human']);
        expect(await outcomesOf(world, id)).toEqual(['in_batch', 'human']);
        expect(person.turns()).toHaveLength(1);
        expect(await person.sends()).toEqual([]);
        await eventually(async () => {
          const turns = await world.query(
            'SELECT t.outcome, t.draft FROM turn t JOIN batch b ON b.id = t.batch_id WHERE b.conversation_id = $1::bigint',
            [id],
          );
          expect(turns).toEqual([{ outcome: 'taken-over', draft: 'too late' }]);
          return true;
        });
      },

      'c: between two parts': async (world) => {
        const person = world.person();
        person.willBeAnswered({ parts: ['one', 'two', 'three'] });
        // The first part's answer is slow, so that the takeover falls between it and the second.
        await world.simulator.fault({
          kind: 'latency',
          when: 'after',
          ms: 1_500,
          to: person.phone,
          textIncludes: 'one',
        });
        await person.says('hi');
        await person.hears(1);
        const id = await takeOver(world, person);
        await person.says('hello?');
        await anothersTurnPasses(world);
        await eventually(async () => (await person.sends())[0]?.answeredAt);
        expect((await person.sends()).map((call) => call.text)).toEqual(['one']);
        const parts = await world.query<{ state: string }>(
          'SELECT state FROM part WHERE conversation_id = $1::bigint ORDER BY index',
          [id],
        );
        expect(parts.slice(1)).toEqual([{ state: 'held' }, { state: 'held' }]);
        expect(await reviewsOf(world, id)).toEqual([
          { reason: 'taken-over', detail: expect.stringContaining(' of 3 parts'), draft: 'two\n\nthree' },
        ]);
        expect(person.turns()).toEqual([['hi']]);
      },

      'd: from the phone of the business, while the window is open': async (world) => {
        const person = world.person();
        await person.says('hi');
        const id = await conversationOf(world, person);
        await echo(world, person, 'Marta here, I will sort this out.');
        await eventually(async () => (await batchesOf(world, id))[0] === 'human');
        await person.says('thanks!');
        await anothersTurnPasses(world);
        expect(person.turns()).toEqual([]);
        expect(await outcomesOf(world, id)).toEqual(['human', 'human']);
      },
    },
    { waits: false },
  );
});

/** What Meta sends when somebody writes in the business app on the phone. */
async function echo(world: World, person: Person, text: string): Promise<void> {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100200', phone_number_id: world.env['WHATSAPP_PHONE_NUMBER_ID'] },
    message_echoes: [
      {
        from: '15550100200',
        to: person.phone,
        id: `wamid.echo-${person.phone}`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: text },
      },
    ],
  };
  const change = { field: 'smb_message_echoes', value };
  const body = { object: 'whatsapp_business_account', entry: [{ id: '318400000000101', changes: [change] }] };
  const { delivered } = await world.simulator.control<{ delivered: number }>('raw', { body });
  expect(delivered).toBe(200);
}
