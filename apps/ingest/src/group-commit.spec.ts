import { jest } from '@jest/globals';
import type { NewEvent } from '#inbox';
import { GroupCommit } from './group-commit.js';

const MEBIBYTE = 1024 * 1024;

/** Events are only counted here; their content is the store's. */
const events = (name: string, count = 1): NewEvent[] =>
  Array.from({ length: count }, (_, n) => ({ externalId: `${name}${n}` }) as NewEvent);

interface Group {
  ids: string[];
  commit: (stored: string) => void;
  fail: (error: Error) => void;
}

/** A store whose groups are committed, or fail, one by one and by hand. */
function byHand(longestMs = 1e9) {
  const groups: Group[] = [];
  const commits = new GroupCommit<string>(
    (rows) =>
      new Promise((commit, fail) => {
        groups.push({ ids: rows.map((row) => row.externalId), commit, fail });
      }),
    longestMs,
  );
  return { groups, commits };
}

/** Lets everything that is ready run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('a webhook alone is stored at once, those of one turn of the event loop together', async () => {
  const { groups, commits } = byHand();
  const stored = commits.add(events('a', 2), 100);
  await settle();
  expect(groups.map(({ ids }) => ids)).toEqual([['a0', 'a1']]);
  groups[0]!.commit('done');
  expect(await stored).toBe('done');
});

it('what comes while two groups are under way waits, and then goes together, in order of arrival', async () => {
  const { groups, commits } = byHand();
  const webhooks = [commits.add(events('a'), 100)];
  await settle();
  webhooks.push(commits.add(events('b'), 100));
  await settle();
  webhooks.push(...['c', 'd', 'e'].map((name) => commits.add(events(name), 100)));
  await settle();
  expect(groups.map(({ ids }) => ids)).toEqual([['a0'], ['b0']]);
  groups[1]!.commit('b is in');
  expect(await webhooks[1]).toBe('b is in');
  await settle();
  expect(groups.map(({ ids }) => ids)).toEqual([['a0'], ['b0'], ['c0', 'd0', 'e0']]);
  groups[2]!.commit('the rest is in');
  expect(await Promise.all(webhooks.slice(2))).toEqual(Array(3).fill('the rest is in'));
});

it('nobody is answered before the commit', async () => {
  const { groups, commits } = byHand();
  let answered = false;
  const stored = commits.add(events('a'), 100).then(() => (answered = true));
  await settle();
  expect(answered).toBe(false);
  groups[0]!.commit('done');
  await stored;
});

it('a group that fails rejects its own webhooks only, and the next ones go on', async () => {
  const { groups, commits } = byHand();
  const a = commits.add(events('a'), 100);
  await settle();
  const b = commits.add(events('b'), 100);
  await settle();
  const [c, d] = ['c', 'd'].map((name) => commits.add(events(name), 100));
  const failed = expect(a).rejects.toThrow('the disk is full');
  groups[0]!.fail(new Error('the disk is full'));
  await failed;
  await settle();
  expect(groups[2]!.ids).toEqual(['c0', 'd0']);
  for (const group of groups.slice(1)) group.commit('done');
  expect(await Promise.all([b, c, d])).toEqual(['done', 'done', 'done']);
});

it('a store that throws at once rejects as well, and blocks nothing', async () => {
  let broken = true;
  const commits = new GroupCommit<string>(() => {
    if (broken) throw new Error('no pool');
    return Promise.resolve('done');
  });
  await expect(commits.add(events('a'), 1)).rejects.toThrow('no pool');
  await expect(commits.add(events('b'), 1)).rejects.toThrow('no pool');
  await expect(commits.add(events('c'), 1)).rejects.toThrow('no pool');
  broken = false;
  expect(await commits.add(events('d'), 1)).toBe('done');
});

it('nobody waits for ever: whoever waited too long is refused, in turn, and the next are not touched', async () => {
  jest.useFakeTimers();
  const { groups, commits } = byHand(1000);
  const outcomes: string[] = [];
  const add = (name: string) =>
    commits.add(events(name), 1).then(
      (stored) => outcomes.push(`${name} ${stored}`),
      (error: Error) => outcomes.push(`${name} ${error.message}`),
    );
  for (const name of ['a', 'b', 'c']) {
    void add(name);
    await jest.advanceTimersByTimeAsync(1);
  }
  await jest.advanceTimersByTimeAsync(600);
  void add('d');
  groups[1]!.commit('done');
  await jest.advanceTimersByTimeAsync(600);
  expect(outcomes).toEqual(['b done', 'a the commit took too long', 'c the commit took too long']);
  groups[0]!.commit('late');
  groups[2]!.commit('done');
  await jest.advanceTimersByTimeAsync(0);
  expect(outcomes.slice(3)).toEqual(['d done']);
  jest.useRealTimers();
});

it.each([
  ['rows', 900, 100],
  ['bytes', 1, 3.5 * MEBIBYTE],
])('a group is bounded by its %s', async (_, rows, bytes) => {
  const { groups, commits } = byHand();
  // Two groups under way, so that five webhooks wait.
  for (const name of ['x', 'y']) {
    void commits.add(events(name, rows), bytes);
    await settle();
  }
  for (const name of ['a', 'b', 'c', 'd', 'e']) void commits.add(events(name, rows), bytes);
  for (const group of groups) group.commit('done');
  await settle();
  expect(groups.slice(2).map(({ ids }) => ids.length / rows)).toEqual([2, 2]);
  groups[2]!.commit('done');
  await settle();
  expect(groups.map(({ ids }) => ids.length / rows)).toEqual([1, 1, 2, 2, 1]);
});

it('a webhook that is larger than the bounds goes by itself', async () => {
  const { groups, commits } = byHand();
  for (const name of ['x', 'y']) {
    void commits.add(events(name), 1);
    await settle();
  }
  void commits.add(events('a'), 1);
  void commits.add(events('large', 5_000), 40 * MEBIBYTE);
  void commits.add(events('b'), 1);
  for (const group of groups) group.commit('done');
  await settle();
  expect(groups.map(({ ids }) => ids.length)).toEqual([1, 1, 1, 5_000]);
});
