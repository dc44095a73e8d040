/** Strategies under which messages wait, on real tables: who goes, what a turn is given, and what becomes of the rest. */
import type { LockFacts } from '#domain';
import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { InboxKit } from '../specs/inbox-kit.js';
import { message } from '../specs/new-events.js';
import { ann, events, idsOf, overlapWords } from '../specs/overlap-kit.js';
import { failTurn } from './fail-turn.js';
import { createJournal } from './journal.js';

let database: TestDatabase;
let kit: InboxKit;
beforeAll(async () => {
  database = await testDatabase();
  kit = await InboxKit.open(database.url, shiftDatabaseClock, 2);
});
beforeEach(() => kit.reset());
afterAll(async () => {
  await kit.close();
  await database.drop();
});

const { say, sayAs, choose, claimed, silence } = overlapWords(() => kit);

describe('queue', () => {
  beforeEach(() => choose({ strategy: 'queue', maxQueueSize: 2, queueEntryTtlMs: 25_000 }));

  it('dispatches the first at once and alone, whoever comes before a responder does', async () => {
    expect(events(await say('A', 'B'))).toEqual(['dispatched A', 'message-queued B']);
    expect(await kit.states('batch')).toEqual(['collecting', 'queued']);
    const turn = await kit.claimOne();
    expect([idsOf(turn), turn.strategy]).toEqual([['A'], 'queue']);
    expect(await claimed()).toEqual([]);
    await silence(turn);
    const next = await kit.claim();
    expect(next.turns.map(idsOf)).toEqual([['B']]);
    expect(next.overlaps).toEqual([expect.objectContaining({ event: 'message-dequeued', skippedCount: 0 })]);
  });

  it('goes by the order of arrival, whatever ids and keys say', async () => {
    choose({ maxQueueSize: 20 });
    await kit.sql('ALTER SEQUENCE event_id_seq RESTART WITH 9');
    await kit.store(...['Z', 'Y', 'X'].map((externalId) => message(externalId, ann, { externalId })));
    await say('A', 'B');
    expect((await kit.claim()).turns.map(idsOf)).toEqual([['Z']]);
  });

  it('drops the oldest of a full queue, also one that was stored before, and says so', async () => {
    await say('A');
    const turn = await kit.claimOne();
    await say('B');
    expect(events(await say('C', 'D', 'E'))).toEqual([
      ...['message-queued C', 'message-dropped B', 'message-queued D', 'message-dropped C', 'message-queued E'],
    ]);
    await silence(turn);
    expect(await claimed()).toEqual([['D', 'E']]);
    const gone = 'dropped queue-full';
    expect(await kit.outcomes()).toEqual({ A: 'in_batch', B: gone, C: gone, D: 'in_batch', E: 'in_batch' });
  });

  it('keeps the oldest, when told so', async () => {
    choose({ onQueueFull: 'drop-newest' });
    await say('A');
    await kit.claimOne();
    expect(events(await say('B', 'C', 'D')).at(-1)).toBe('message-dropped D');
    expect(await kit.outcomes()).toMatchObject({ B: 'open', C: 'open', D: 'dropped queue-full' });
  });

  it('expires what has waited too long when its turn comes, and answers the rest', async () => {
    await say('A');
    const turn = await kit.claimOne();
    await say('B');
    await kit.pass(20_000);
    await say('C');
    await kit.pass(7_500);
    await silence(turn);
    const { turns, overlaps } = await kit.claim();
    expect(turns.map(idsOf)).toEqual([['C']]);
    expect(events({ overlaps })).toEqual(['message-expired B', 'message-dequeued C']);
    expect(await kit.outcomes()).toMatchObject({ B: 'ignored expired', C: 'in_batch' });
  });

  it('has no turn for a queue that expired as a whole', async () => {
    await say('A');
    const turn = await kit.claimOne();
    await say('B');
    await kit.pass(30_000);
    await silence(turn);
    expect(await claimed()).toEqual([]);
    expect(await kit.states('batch')).toEqual(['silent', 'superseded']);
  });

  it('a turn that failed for good neither strands nor reorders what waits', async () => {
    await say('A');
    const turn = await kit.claimOne();
    await say('B');
    await failTurn(kit.db, { ...turn, error: 'x', draft: null }, { ...kit.policy, maxAttempts: 1 });
    expect(await claimed()).toEqual([['B']]);
  });
});

describe('burst', () => {
  beforeEach(() => choose({ strategy: 'burst', debounceMs: 15_000 }));

  it('waits a fixed time from the first, and dispatches at once what came during the turn', async () => {
    await say('A');
    await kit.pass(10_000);
    expect(events(await say('B'))).toEqual(['message-queued B']);
    expect(await claimed()).toEqual([]);
    await kit.pass(5_000);
    const turn = await kit.claimOne();
    expect(idsOf(turn)).toEqual(['A', 'B']);
    await say('C', 'D');
    expect(await claimed()).toEqual([]);
    await silence(turn);
    expect(await claimed()).toEqual([['C', 'D']]);
  });
});

describe('debounce', () => {
  beforeEach(() => choose({ strategy: 'debounce', debounceMs: 15_000 }));

  it('lets the latest replace the earlier ones, and the window restart', async () => {
    expect(events(await say('A', 'B'))).toEqual([
      ...['message-debouncing A', 'message-superseded A', 'message-debounce-reset B'],
    ]);
    await kit.pass(10_000);
    await say('C');
    await kit.pass(10_000);
    expect(await claimed()).toEqual([]);
    await kit.pass(5_000);
    expect(await claimed()).toEqual([['C']]);
    const gone = 'superseded newer-message';
    expect(await kit.outcomes()).toEqual({ A: gone, B: gone, C: 'in_batch' });
  });

  it('supersedes what waits for a retry, unless a tool has had an effect', async () => {
    for (const effectful of [false, true]) {
      await kit.reset();
      choose({ strategy: 'debounce', debounceMs: 15_000 });
      await say('A');
      await kit.pass(15_000);
      const turn = await kit.claimOne();
      const call = { id: 'c', name: 'book', args: {}, key: 'k' };
      await createJournal(kit.db, turn).startTool(0, call, effectful ? 'effectful' : 'read-only');
      await failTurn(kit.db, { ...turn, error: 'x', draft: null }, kit.policy);
      await say('B');
      expect((await kit.outcomes())['A']).toBe(effectful ? 'in_batch' : 'superseded newer-message');
      expect(await kit.states('batch')).toEqual([effectful ? 'retry_wait' : 'superseded', 'collecting']);
    }
  });

  it('supersedes nothing whose turn has been claimed', async () => {
    await say('A');
    await kit.pass(15_000);
    const turn = await kit.claimOne();
    await say('B');
    expect((await kit.outcomes())['A']).toBe('in_batch');
    expect(await silence(turn)).toMatchObject({ kind: 'finished' });
  });
});

describe('functions of the chat', () => {
  const group = { ...ann, group: 'g1' };

  it('asks for the strategy of each chat, with the facts of the chat, and leaves the rest to the account', async () => {
    const asked: LockFacts[] = [];
    choose({ strategy: 'queue' });
    kit.choices = {
      overlap: (chat) => {
        asked.push(chat);
        return chat.isDM ? undefined : { strategy: 'drop' };
      },
    };
    expect(events(await sayAs(group, 'A', 'B'))).toEqual(['dispatched A', 'message-dropped B']);
    expect(events(await sayAs(ann, 'C', 'D'))).toEqual(['dispatched C', 'message-queued D']);
    const account = { channel: 'whatsapp', externalId: '1' };
    expect(asked).toContainEqual({ account, threadId: null, channelId: 'g1', isDM: false });
    expect(asked).toContainEqual({ account, threadId: null, channelId: ann.phone, isDM: true });
  });

  it('asks for the lock of each chat: threads of a group side by side, those of a person one by one', async () => {
    choose({ strategy: 'queue', lockScope: 'thread' });
    kit.choices = { lockScope: ({ isDM }) => (isDM ? 'channel' : 'thread') };
    await sayAs({ ...group, thread: 't1' }, 'A');
    await sayAs({ ...group, thread: 't2' }, 'B');
    expect((await claimed()).flat().sort()).toEqual(['A', 'B']);
    await sayAs({ ...ann, thread: 't1' }, 'C');
    await sayAs({ ...ann, thread: 't2' }, 'D');
    expect(await claimed()).toEqual([['C']]);
  });
});
