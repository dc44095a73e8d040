/** Strategy and lock scope as functions of the chat, on real tables. */
import type { LockFacts } from '#domain';
import { shiftDatabaseClock, testDatabase, type TestDatabase } from '#testing';
import { InboxKit } from '../specs/inbox-kit.js';
import { ann, events, overlapWords } from '../specs/overlap-kit.js';

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

const { sayAs, choose, claimed } = overlapWords(() => kit);
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
