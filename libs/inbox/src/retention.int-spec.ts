import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { accepted, HOUR, InboxKit } from '../specs/inbox-kit.js';
import { message, status } from '../specs/new-events.js';
import { erasePerson, findPerson, finishErasures } from './erase-person.js';
import { exportPerson } from './export-person.js';
import { readLedger } from './read-ledger.js';
import { removeOld } from './remove-old.js';

let database: TestDatabase;
let kit: InboxKit;

beforeAll(async () => {
  database = await testDatabase();
  kit = await InboxKit.open(database.url, shiftDatabaseClock);
});
beforeEach(() => kit.reset());
afterAll(async () => {
  await kit.close();
  await database.drop();
});

const DAY = 24 * HOUR;
const RULES = { retentionMs: 90 * DAY, payloadRetentionMs: 30 * DAY };
const ana = { phone: '15550100001', name: 'Ana' };
const ben = { phone: '15550100002', name: 'Ben' };
const count = async (table: string) => (await kit.row<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).n;
const unaccounted = async () => (await readLedger(kit.db, { maxWaitMs: 60_000, unknownWaitMs: 60_000 })).unaccounted;

/** One answered question with its statuses, and one that waits for a person. */
async function aLife(): Promise<void> {
  await kit.reply(ana, 'the answer');
  await kit.settle(await kit.claimPart(), accepted('w1'));
  await kit.arrive(status('sent', { providerId: 'w1' }), status('read', { providerId: 'w1' }));
  const asked = await kit.turn('a person please', ben);
  await kit.finish(asked, { kind: 'review', why: 'asked for a person' });
}

describe('retention', () => {
  it('removes nothing that is younger', async () => {
    await aLife();
    await kit.pass(89 * DAY);
    const removed = await removeOld(kit.db, { ...RULES, payloadRetentionMs: RULES.retentionMs }, 100);
    expect(removed).toEqual({ batches: 0, events: 0, parts: 0, payloads: 0 });
  });

  it('removes what has ended, with all that belongs to it, and keeps what an open case is about', async () => {
    await aLife();
    await kit.pass(91 * DAY);
    expect(await removeOld(kit.db, RULES, 100)).toMatchObject({ batches: 1, events: 3, parts: 1 });
    expect(await Promise.all(['batch', 'turn', 'part', 'event'].map(count))).toEqual([1, 1, 0, 1]);
    expect(await kit.openCases()).toEqual(['assistant-asked batch:2']);
    expect(await unaccounted()).toBe(0);
  });

  it('goes in steps', async () => {
    for (const text of ['one', 'two', 'three']) await kit.finish(await kit.turn(text, ana), { kind: 'silent' });
    await kit.pass(91 * DAY);
    expect((await removeOld(kit.db, RULES, 2)).batches).toBe(2);
    expect((await removeOld(kit.db, RULES, 2)).batches).toBe(1);
  });

  it('empties bodies earlier and keeps the row as the mark that the id was seen', async () => {
    await kit.finish(await kit.turn('secret', ana), { kind: 'silent' });
    await kit.pass(31 * DAY);
    expect(await removeOld(kit.db, RULES, 100)).toEqual({ batches: 0, events: 0, parts: 0, payloads: 1 });
    expect(await kit.row(`SELECT length(raw) AS raw, parsed, outcome FROM event`)).toEqual({
      ...{ raw: 0, parsed: null, outcome: 'in_batch' },
    });
    expect((await kit.turn('again', ana)).messages).toHaveLength(1);
  });
});

describe('one person', () => {
  it('is found by any of their names, and exported whole', async () => {
    await aLife();
    const person = (await exportPerson(kit.db, await findPerson(kit.db, ana.phone))) as Record<string, unknown[]>;
    expect(Object.entries(person).map(([name, rows]) => [name, rows.length])).toEqual(
      expect.arrayContaining([
        ['conversations', 1],
        ['aliases', 1],
        ['events', 3],
        ['batches', 1],
        ['turns', 1],
        ['parts', 1],
      ]),
    );
    expect(JSON.stringify(person)).toContain('a question');
    expect(JSON.stringify(person)).not.toContain('a person please');
  });

  it('is erased: no text, no name, no number is left, the ledger adds up, and the other person is as before', async () => {
    await aLife();
    expect(await erasePerson(kit.db, await findPerson(kit.db, ana.phone))).toBe(1);
    // The hash that tells a copy from a variant stays as long as copies can come; the builder's holds the text itself.
    const tables = ['event', 'part', 'turn', 'conversation', 'contact_alias', 'review', 'batch'];
    const kept = await Promise.all(
      tables.map((table) => kit.sql(`SELECT (to_jsonb(t) - 'content_hash' - 'raw')::text AS row FROM ${table} t`)),
    );
    expect(await kit.sql(`SELECT FROM event WHERE conversation_id = 1 AND raw <> ''`)).toEqual([]);
    const text = JSON.stringify(kept);
    for (const gone of ['a question', 'the answer', 'Ana', ana.phone]) expect(text).not.toContain(gone);
    expect(text).toContain('a person please');
    expect(await findPerson(kit.db, ana.phone)).toEqual([]);
    expect(await unaccounted()).toBe(0);
  });

  it('is recognised as new afterwards, while a copy of an old webhook still is a copy', async () => {
    await kit.arrive(message('hi', ana, { externalId: 'm1' }));
    await erasePerson(kit.db, await findPerson(kit.db, ana.phone));
    expect(await kit.store(message('hi', ana, { externalId: 'm1' }))).toMatchObject({ fresh: 0, duplicates: 1 });
    await kit.arrive(message('hello again', ana, { externalId: 'm2' }));
    expect(await count('conversation')).toBe(2);
    expect(await kit.states('batch')).toEqual(['human', 'collecting']);
  });

  it('loses the ids that carry a number once no copy can come any more', async () => {
    await kit.arrive(message('hi', ana, { externalId: 'wamid-with-a-number' }));
    await erasePerson(kit.db, await findPerson(kit.db, ana.phone));
    expect(await finishErasures(kit.db, 100)).toBe(0);
    await kit.pass(9 * DAY);
    expect(await finishErasures(kit.db, 100)).toBe(1);
    expect((await kit.row<{ id: string }>('SELECT external_id AS id FROM event')).id).toMatch(/^erased:[0-9a-f]{64}$/);
  });
});
