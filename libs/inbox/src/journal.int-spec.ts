import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { HOUR, InboxKit, LEASE_MS } from '../specs/inbox-kit.js';
import { createJournal } from './journal.js';
import { takeOver } from './take-over.js';

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

const ana = { phone: '15550100001' };
const call = { id: 'call-1', name: 'hold_appointment', args: { at: '10:00' }, key: 'batch:1:1' };
const usage = { inputTokens: 12, outputTokens: 3 };

it('the next attempt reads the transcript as it was left, and goes on in it', async () => {
  const journal = createJournal(kit.db, await kit.turn('hold ten o’clock', ana));
  await journal.recordAnswer(0, { text: 'One moment', calls: ['call-1'] }, usage);
  await journal.startTool(1, call, 'effectful');
  await kit.pass(LEASE_MS);
  const next = createJournal(kit.db, await kit.claimOne());
  expect(await next.steps()).toEqual([
    { position: 0, kind: 'answer', content: { text: 'One moment', calls: ['call-1'] }, usage },
    { position: 1, kind: 'tool', call, state: 'started', result: null },
  ]);
  await next.startTool(1, { ...call, args: { at: 'another time' } }, 'effectful');
  await next.finishTool(1, { held: true });
  await next.recordAnswer(2, 'Done', null);
  expect(await next.steps()).toMatchObject([
    { position: 0 },
    { position: 1, call, state: 'finished', result: { held: true } },
    { position: 2, content: 'Done', usage: null },
  ]);
  await expect(journal.finishTool(1, 'late')).rejects.toMatchObject({ name: 'StaleFenceError' });
  expect((await next.steps())[1]).toMatchObject({ result: { held: true } });
});

it('a step recorded twice by the same holder is one step', async () => {
  const journal = createJournal(kit.db, await kit.turn('hi', ana));
  await Promise.all([journal.startTool(0, call, 'effectful'), journal.startTool(0, call, 'effectful')]);
  await journal.startTool(0, call, 'effectful');
  expect(await journal.steps()).toHaveLength(1);
});

it('no claim slips between the look at the fence and the step', async () => {
  const turn = await kit.turn('hi', ana);
  const other = await kit.db.pool.connect();
  await other.query('BEGIN; UPDATE batch SET fence = fence + 1');
  const written = createJournal(kit.db, turn).recordAnswer(0, 'text', null);
  await kit.untilBlocked();
  await other.query('COMMIT');
  other.release();
  await expect(written).rejects.toMatchObject({ name: 'StaleFenceError' });
  expect(await kit.sql('SELECT FROM model_step')).toEqual([]);
});

it('a takeover that waits for a step ends the turn after it', async () => {
  const turn = await kit.turn('hi', ana);
  const other = await kit.db.pool.connect();
  await other.query('BEGIN; SELECT FROM batch FOR SHARE');
  const taken = takeOver(kit.db, turn.conversationId, 'Kim', HOUR);
  await kit.untilBlocked();
  await kit.pass(HOUR / 60);
  const { rows } = await other.query<{ at: number }>('SELECT epoch_ms(oneturn_now()) AS at');
  await other.query('COMMIT');
  other.release();
  await taken;
  const ended = await kit.row<{ at: number }>('SELECT epoch_ms(ended_at) AS at FROM turn');
  expect(ended.at).toBeGreaterThanOrEqual(rows[0]!.at);
});

it('belongs to its batch alone', async () => {
  const turn = await kit.turn('hi', ana);
  await createJournal(kit.db, turn).recordAnswer(0, 'text', null);
  await kit.finish(turn, { kind: 'silent' });
  expect(await createJournal(kit.db, await kit.turn('again', ana)).steps()).toEqual([]);
});
