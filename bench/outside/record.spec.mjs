import { Record } from './record.mjs';

it('counts each message once, and tells which were answered twice', () => {
  const record = new Record();
  record.accept('re #a.1 #a.2', 1_000);
  record.accept('re #a.2 #a.3 #b.1', 1_300);
  expect(record.summary('a')).toMatchObject({ accepted: 2, lastAcceptedAt: 1_300, answered: 3, twice: 1 });
});

it('keeps a curve of first answers', () => {
  const record = new Record();
  record.accept('re #a.1 #a.2', 1_000);
  record.accept('re #a.2 #a.3', 1_300);
  expect(record.summary('a').curve).toEqual([
    [1_000, 2],
    [1_250, 1],
  ]);
});
