/** kill -9 aimed at a send: before the channel has it, after it has accepted it, and between two parts. */
import { jest } from '@jest/globals';
import { eventually, shiftDatabaseClock, type RunningService } from '#testing';
import { checkInvariants } from '../harness/check-invariants.js';
import { CRASH_ENV } from '../harness/crash-env.js';
import { crash } from '../harness/crash.js';
import { closeBooks } from '../harness/ledger.js';
import { partsOf, type PartRow } from '../harness/parts-of.js';
import type { Person } from '../harness/person.js';
import { BACKENDS, startWorld, type World } from '../harness/world.js';

jest.setTimeout(90_000);

/** Several restarts on two busy cores. */
const PATIENCE_MS = 45_000;
/** Longer than any of these tests: nothing times out by itself, everything ends by the kill. */
const SEND_TIMEOUT_MS = 60_000;
const HOUR = 3_600_000;

describe.each(BACKENDS)('a responder that dies while it sends, wake-ups over %s', (backend) => {
  let world: World;
  let beforePost: Person;
  let afterAcceptance: Person;
  let withEvidence: Person;
  let lateEvidence: Person;
  let betweenParts: Person;
  let startAgain: () => Promise<RunningService>;

  beforeAll(async () => {
    const env = { ...CRASH_ENV, SEND_TIMEOUT_MS: String(SEND_TIMEOUT_MS), PART_GAP_MS: '60000' };
    world = await startWorld({ backend, env, services: { console: 0 } });
    [beforePost, afterAcceptance, withEvidence, lateEvidence, betweenParts] = Array.from({ length: 5 }, () =>
      world.person(),
    ) as [Person, Person, Person, Person, Person];
    await killInTheMiddle();
  }, 150_000);
  afterAll(() => world?.close());

  /** One kill for all of them: each has its send at another point at that moment. */
  async function killInTheMiddle(): Promise<void> {
    const { simulator } = world;
    const silent = { kind: 'statuses', statuses: 'none' };
    await simulator.fault([
      { kind: 'latency', when: 'before', ms: HOUR, to: beforePost.phone },
      ...[afterAcceptance, withEvidence, lateEvidence].map(({ phone: to }) => ({
        kind: 'latency',
        when: 'after',
        ms: HOUR,
        to,
      })),
      ...[afterAcceptance, lateEvidence, betweenParts].map(({ phone: to }) => ({ ...silent, to })),
    ]);
    lateEvidence.willBeAnswered({ parts: ['first', 'second'] });
    betweenParts.willBeAnswered({ parts: ['one', 'two'] });
    const everybody = [beforePost, afterAcceptance, withEvidence, lateEvidence, betweenParts];
    for (const person of everybody) await person.says(`hello from ${person.phone}`);
    await eventually(
      async () => {
        for (const person of everybody) expect(await person.sends()).toHaveLength(1);
        for (const person of [afterAcceptance, withEvidence, lateEvidence]) {
          expect(await person.sends()).toMatchObject([{ accepted: true, status: null }]);
        }
        expect(await beforePost.sends()).toMatchObject([{ accepted: false, status: null }]);
        expect(await partsOf(world, betweenParts)).toMatchObject([{ state: 'accepted' }, { state: 'pending' }]);
        return true;
      },
      { timeoutMs: PATIENCE_MS, everyMs: 50 },
    );
    startAgain = await crash(world, world.only('responder'));
  }

  it('leaves both kinds of cut, before the POST and after the acceptance, in the same row: being sent', async () => {
    const [before] = await partsOf(world, beforePost);
    const [after] = await partsOf(world, afterAcceptance);
    expect(before).toMatchObject({ state: 'sending', attempts: 1, providerId: null });
    expect(withoutIdentity(after)).toEqual(withoutIdentity(before));
  });

  it('takes an accepted part from a status that carries our tracker, without our own answer', async () => {
    await eventually(async () => (await partsOf(world, withEvidence))[0]?.state === 'read', {
      timeoutMs: PATIENCE_MS,
    });
  });

  it('makes both cuts the same unknown row when the lease has lapsed, never pending, and asks a person', async () => {
    await shiftDatabaseClock(world.database.url, 2 * SEND_TIMEOUT_MS);
    await startAgain();
    const rows = await eventually(
      async () => {
        const found = [...(await partsOf(world, beforePost)), ...(await partsOf(world, afterAcceptance))];
        return found.every((part) => part.reason === 'in-review') && found;
      },
      { timeoutMs: PATIENCE_MS },
    );
    const expected = { state: 'unknown', reason: 'in-review', attempts: 1, providerId: null, errorCode: 'lapsed' };
    expect(rows).toMatchObject([expected, expected]);
    expect(withoutIdentity(rows[1])).toEqual(withoutIdentity(rows[0]));
    for (const { id } of rows) {
      expect(
        await world.query('SELECT reason, state FROM review WHERE part_id = $1 OR subject = $2', [id, `part:${id}`]),
      ).toEqual([{ reason: 'unknown-send', state: 'open' }]);
    }
  });

  it('sends the rest when it died between two parts, and not the first again', async () => {
    expect((await betweenParts.hears(2, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['one', 'two']);
  });

  it('closes the case when evidence comes late, and sends what had been held behind it', async () => {
    const [first] = await eventually(
      async () => {
        const parts = await partsOf(world, lateEvidence);
        return parts[0]?.reason === 'in-review' && parts;
      },
      { timeoutMs: PATIENCE_MS },
    );
    const [call] = await lateEvidence.sends();
    await world.simulator.control('raw', { body: deliveredStatus(call?.wamid ?? '', call?.tracker ?? '') });
    expect((await lateEvidence.hears(2, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['first', 'second']);
    expect(await world.query('SELECT state, action FROM review WHERE subject = $1', [`part:${first?.id}`])).toEqual([
      { state: 'resolved', action: 'evidence' },
    ]);
  });

  it('answers the next message of somebody whose part is with a person', async () => {
    await beforePost.says('are you there?');
    expect((await beforePost.hears(1, PATIENCE_MS)).map((entry) => entry.text)).toEqual(['You said: are you there?']);
  });

  it('and the books are right afterwards', async () => {
    const { ledger, unaccounted } = await closeBooks(world);
    expect(unaccounted).toEqual([]);
    expect(ledger).toMatchObject({ batches: { replied: 6 }, parts: { unknown: 2, held: 0 }, waiting: { person: 2 } });
    await checkInvariants(world, { waits: false });
  });

  function deliveredStatus(id: string, tracker: string): object {
    const metadata = { display_phone_number: '15550100', phone_number_id: world.env['WHATSAPP_PHONE_NUMBER_ID'] };
    const timestamp = String(Math.floor(Date.now() / 1000));
    const status = {
      id,
      status: 'delivered',
      timestamp,
      recipient_id: lateEvidence.phone,
      biz_opaque_callback_data: tracker,
    };
    const value = { messaging_product: 'whatsapp', metadata, statuses: [status] };
    return { object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value }] }] };
  }
});

function withoutIdentity(part: PartRow | undefined): Partial<PartRow> {
  const { id: _id, tracker: _tracker, ...rest } = part ?? ({} as PartRow);
  return rest;
}
